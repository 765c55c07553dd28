// The commands behind the command line. Each returns its exit code; what goes wrong is thrown.
#pragma once
#include <string>
#include <vector>

#include "brim/simulation.h"

namespace brim {
struct PlotRequest;
}

namespace brim::command {

/// Exit codes; a run that was interrupted ends with 128 + the signal, as shells do.
enum Exit { ok = 0, mistake = 2, diverged = 3, worse = 4 };

/// A scene and what the command line changes in it.
struct SceneArguments {
  std::string file;
  std::vector<std::string> set;  // path=value
  std::string solver, until, framesPerSecond;
};

struct RunArguments {
  SceneArguments scene;
  std::string out;  // "": out/<name of the scene>
  Options machine;
  bool resume = false, overwrite = false, quiet = false, strict = false;
  std::string from, progress;
  std::vector<std::string> words;  // the whole command line, to say how to go on
};

/// Several runs and their page.
struct ReportArguments {
  RunArguments run;               // scene, folder, machine, resume and overwrite
  std::string solvers;            // compare: names with commas between
  std::vector<std::string> vary;  // sweep: path=value,value,...
};

/// Cases of validation.
struct ValidateArguments {
  RunArguments run;                // folder, machine, resume and overwrite, settings for all runs
  std::vector<std::string> cases;  // names or folders; empty: all
  std::string solvers;             // names with commas between; empty: all
  bool quick = false, full = false, list = false, ratchet = false;
  std::string stored;  // scores to compare with, instead of those that come with the cases
};

/// A data set to make.
struct DatasetArguments {
  std::string file, out;
  Options machine;  // precision and threads
  bool overwrite = false, quiet = false;
};

/// A scene to watch, or the folder of a run.
struct ViewArguments {
  SceneArguments scene;  // its file may be a folder
  Options machine;
  std::string bind = "127.0.0.1";
  int port = -1;  // below 0: the first free one from the usual one on
  bool noOpen = false, paused = false;
};

int run(const RunArguments&);
int view(const ViewArguments&);
int compare(const ReportArguments&);
int sweep(const ReportArguments&);
int study(const ReportArguments&);
int plot(const PlotRequest&, bool quiet);
int validate(const ValidateArguments&);
int dataset(const DatasetArguments&);
int check(const SceneArguments&);
int info(const SceneArguments&, const Options&);

int listSolvers();
int listScenes();
int listDevices();
int listParameters(const std::string& name, bool markdown);

/// Reads the scene with its changes and prints its warnings.
Scene read(const SceneArguments&);

/// The settings of a command line; throws Failure where one has no "=".
std::vector<Setting> settingsOf(const SceneArguments&);
/// Throws Failure, with what was probably meant, if there is no such file.
void requireScene(const std::string& file);
/// Throws Failure if the name is given and not known here.
void knownFlavour(const std::string& name);

/// The scene files that come with Brim: ./scenes, or those beside the command, or the installed ones.
std::vector<std::string> knownScenes();

/// A word as a shell wants it.
std::string quoted(const std::string& word);
/// The command that goes on with an interrupted run.
std::string resumeCommand(const std::vector<std::string>& words);

/// "12.3k", "4.56 GB", "2:03:04".
std::string count(double);
std::string bytes(double);
std::string duration(double seconds);

}  // namespace brim::command
