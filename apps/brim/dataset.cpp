// brim dataset: trajectories of varied scenes, for learning.
#include "brim/dataset.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "commands.h"
#include "signals.h"

namespace brim::command {

int dataset(const DatasetArguments& a) {
  const DatasetSpec spec = readDataset(a.file);
  DatasetOptions options;
  options.out = a.out.empty() ? (std::filesystem::path("out") / std::filesystem::path(a.file).stem()).string() : a.out;
  options.overwrite = a.overwrite;
  options.precision = a.machine.precision;
  options.threads = a.machine.threads;
  Signals::watch();
  const bool redrawn = isatty(2);
  DatasetTold last;
  const auto told = [&](const DatasetTold& t) {
    last = t;
    if (a.quiet || (!redrawn && t.done % std::max(1, t.of / 10) != 0 && t.done < t.of)) return;
    fmt::print(stderr, "{}{} of {} trajectories{}{}", redrawn ? "\r" : "", t.done, t.of,
               t.replaced ? fmt::format(", {} replaced", t.replaced) : "", redrawn && t.done < t.of ? "" : "\n");
    std::fflush(stderr);
  };
  if (!makeDataset(spec, options, Signals::stop(), told)) {
    fmt::print(stderr, "{}interrupted after {} of {} trajectories; nothing is lost. The same command goes on.\n",
               redrawn ? "\n" : "", last.done, last.of);
    return Signals::exitCode();
  }
  if (a.quiet) return ok;
  if (last.kept) fmt::print("  kept        {} trajectories of an earlier attempt\n", last.kept);
  if (spec.hdf5) fmt::print("  HDF5        {0}/train.h5, valid.h5, test.h5\n", options.out);
  fmt::print("  npz         {0}/npz\n  metadata    {0}/metadata.json\n  manifest    {0}/manifest.json\n", options.out);
  return ok;
}

}  // namespace brim::command
