// Pictures to a film, by ffmpeg.
#pragma once
#include <string>
#include <vector>

namespace brim {

/// An mp4 (H.264) of PNG files of one size, `rate` of them a second. Throws Failure if ffmpeg is missing or refuses.
void writeFilm(const std::string& path, const std::vector<std::string>& pictures, double rate);

}  // namespace brim
