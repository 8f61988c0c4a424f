"""Packs the pure wheel of client/python with the installed programs and the libraries they need.

usage: python3 pack.py PURE_WHEEL INSTALLATION TARGET_FOLDER

The programs find the libraries by a path that is relative to them, so the wheel runs where there is
nothing but Python and the C library, wherever it is installed. Prints the wheel's path."""

import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]
LIBRARIES = "lib/slipstream"  # In the installation.
# The C library belongs to the system, as the loader of programs does.
C_LIBRARY = re.compile(r"^(ld-linux.*|linux-vdso|"
                       r"lib(anl|c|dl|m|nsl|pthread|resolv|rt|util))\.so(\.\d+)?$")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def elf_files(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
            yield path


def needed(program):
    """The libraries that a program loads, by name: where they are found."""
    found = {}
    for line in run("ldd", program).splitlines():
        name, _, place = line.strip().partition(" => ")
        name = pathlib.Path(name.split()[0]).name
        if C_LIBRARY.match(name):
            continue
        if not place.startswith("/"):
            raise SystemExit(f"{program} needs {name}, which is not found")
        found[name] = pathlib.Path(place.split(" (")[0])
    return found


def package_of(library):
    """The Debian package that a library came with."""
    for path in (library, library.resolve(), pathlib.Path(str(library).removeprefix("/usr"))):
        answer = subprocess.run(["dpkg", "--search", path], check=False, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if answer.returncode == 0:
            return answer.stdout.split(":")[0]
    raise SystemExit(f"no package is known to have brought {library}, so neither is its licence")


def add_libraries(programs):
    """Copies what the programs need, with its licences, and lets them find it."""
    target, licences = programs / LIBRARIES, programs / "licences"
    licences.mkdir()
    shutil.copy(REPOSITORY / "LICENSE", licences / "slipstream")
    for program in (programs / "bin").iterdir():
        for name, place in needed(program).items():
            if (target / name).exists():
                continue
            shutil.copy(place.resolve(), target / name)
            (target / name).chmod(0o755)
            package = package_of(place)
            shutil.copy(f"/usr/share/doc/{package}/copyright", licences / package)
    for program in (programs / "bin").iterdir():
        # RPATH instead of RUNPATH, because libraries find theirs by it too.
        run("patchelf", "--force-rpath", "--set-rpath", f"$ORIGIN/../{LIBRARIES}", program)


def check_libraries(programs):
    """Every library must be found where the wheel has it, also the libraries' own."""
    for path in elf_files(programs / LIBRARIES):
        if "RUNPATH" in run("readelf", "--dynamic", path):
            raise SystemExit(f"{path} has a RUNPATH, which hides the programs' RPATH")
    for program in (programs / "bin").iterdir():
        for name, place in needed(program).items():
            if programs not in place.resolve().parents:
                raise SystemExit(f"{program} would take {name} from {place}")


def platform_tag(programs):
    """The oldest platform that has all symbols of the C library that the files need."""
    versions = set()
    for path in elf_files(programs):
        symbols = run("readelf", "--version-info", path)
        versions |= {tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols)}
    return "manylinux_{}_{}_{}".format(*max(versions), platform.machine())


def make_platform_wheel(wheel, tag):
    """Rewrites the description of an unpacked wheel."""
    (file,) = wheel.glob("*.dist-info/WHEEL")
    text = file.read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
    file.write_text(re.sub(r"(?m)^Tag: .*$", f"Tag: py3-none-{tag}", text))


def add_launchers(wheel, programs):
    (description,) = wheel.glob("*.dist-info")
    scripts = wheel / f"{description.name.removesuffix('.dist-info')}.data/scripts"
    scripts.mkdir(parents=True)
    text = (FOLDER / "launcher.py").read_text()
    for program in (programs / "bin").iterdir():
        (scripts / program.name).write_text(text.replace("@PROGRAM@", program.name))
        (scripts / program.name).chmod(0o755)


def main():
    pure, installation, target = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "wheel", "unpack", "--dest", folder, pure)
        (wheel,) = pathlib.Path(folder).resolve().iterdir()
        programs = wheel / "slipstream/_programs"
        shutil.copytree(installation, programs)
        add_libraries(programs)
        check_libraries(programs)
        make_platform_wheel(wheel, platform_tag(programs))
        add_launchers(wheel, programs)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        run(sys.executable, "-m", "wheel", "pack", "--dest-dir", target, wheel)
    (made,) = target.iterdir()
    print(made)


if __name__ == "__main__":
    main()
