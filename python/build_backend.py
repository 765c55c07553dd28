"""Builds the wheel (PEP 517): CMake compiles, and what comes out is packed with the libraries it needs.

    BRIM_CMAKE_ARGS      more arguments for CMake, for instance "-DBRIM_BASELINE=ON" for a wheel that runs on other machines
    BRIM_BUILD_FOLDER    where it is compiled; build-python by default

A wheel made by `pip install .` has the flavours of this machine, and the command without `compare`, `sweep` and `view`, whose pages need npm;
`make python` makes one with all of it.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Every Linux of the same age has these, and two of them in one process would not go together; all else is carried.
OF_THE_SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libz|ld-linux.*|linux-vdso|libpython.*)\.so.*")


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = pathlib.Path(os.environ.get("BRIM_BUILD_FOLDER", ROOT / "build-python"))
    compile_(folder)
    package = folder / "python" / "brim"
    core = next(package.glob("_core*.so"))
    command = folder / "brim"
    files = {f"brim/{p.relative_to(package)}": p.read_bytes() for p in package.rglob("*") if p.is_file() and p.suffix in (".py", ".pyi", ".typed")}
    files[f"brim/{core.name}"] = stripped(core)
    files["brim/bin/brim-command"] = stripped(command)
    files["brim/bin/brim"] = (
        b'#!/bin/sh\n# The command finds the libraries that the package carries.\nhere=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)\n'
        b'LD_LIBRARY_PATH="$here/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/brim-command" "$@"\n'
    )
    for folder in ("scenes", "validation"):  # for `brim list scenes` and `brim validate`
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file():
                files[f"brim/share/brim/{file.relative_to(ROOT)}"] = file.read_bytes()
    for library in libraries(core) | libraries(command):
        files[f"brim/lib/{library.name}"] = stripped(library)
    return pack(pathlib.Path(wheel_directory), files)


def compile_(folder):
    words = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DBRIM_PYTHON=ON", "-DBRIM_TESTS=OFF",
             "-DBRIM_VDB=OFF", "-DBRIM_HDF5=OFF", "-DBRIM_REPORT=OFF", "-DBRIM_VIEW=OFF", f"-DPython_EXECUTABLE={python()}"]
    if not (folder / "CMakeCache.txt").exists():
        words += ["-G", "Ninja"]
    subprocess.run(words + shlex.split(os.environ.get("BRIM_CMAKE_ARGS", "")), check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "brim_python", "brim"], check=True)


def python():
    """The interpreter whose headers there are: a virtual environment has those of the one that made it."""
    base = pathlib.Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    return base if base.exists() else sys.executable


def libraries(program):
    """The shared libraries that a program needs and a system may not have."""
    found = set()
    for line in subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) > 2 and words[1] == "=>" and not OF_THE_SYSTEM.fullmatch(words[0]):
            found.add(pathlib.Path(words[2]).parent / words[0])
    return found


def stripped(program):
    copy = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"brim-strip-{os.getpid()}"
    try:
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, program], check=True)
        return copy.read_bytes()
    finally:
        copy.unlink(missing_ok=True)


def version():
    return re.search(r"project\(brim VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def metadata():
    return (
        f"Metadata-Version: 2.1\nName: brim\nVersion: {version()}\n"
        "Summary: Simulates incompressible liquids: particles and grids, in 2D and 3D, with bodies, cloth and moving solids\n"
        "License: MIT\nRequires-Python: >=3.11\nRequires-Dist: numpy\n"
        "Provides-Extra: notebooks\nRequires-Dist: tqdm; extra == 'notebooks'\n"
        "Description-Content-Type: text/markdown\n\n" + (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    )


def pack(folder, files):
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    about = f"brim-{version()}.dist-info"
    files[f"{about}/METADATA"] = metadata().encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: brim\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{platform}\n".encode()
    files[f"{about}/entry_points.txt"] = b"[console_scripts]\nbrim = brim.command:main\n"
    files[f"{about}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for name, content in sorted(files.items())
    )
    files[f"{about}/RECORD"] = (record + f"{about}/RECORD,,\n").encode()
    name = f"brim-{version()}-{tag}-{tag}-{platform}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in sorted(files.items()):
            info = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))  # the same bytes from the same build
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            wheel.writestr(info, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"brim-{version()}"
    tracked = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in filter(None, tracked):
            archive.add(ROOT / path, f"{name}/{path}")
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        content = metadata().encode()
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return f"{name}.tar.gz"
