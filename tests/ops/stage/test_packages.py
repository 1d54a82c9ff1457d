"""The locks: what ships is what they name, and nothing else."""

import re
import subprocess
import sys
from importlib import metadata

import pytest

from ops.stage import packages

HASH = "a" * 64
LOCKS = [packages.ROOT / lock for lock in packages.LOCKS.values()]
KNOWN = {package.name: package for lock in LOCKS for package in packages.locked_packages(lock)}


def lock_of(tmp_path, text):
    lock = tmp_path / "requirements.txt"
    lock.write_text(text)
    return lock


@pytest.mark.parametrize(
    "line",
    [
        "boto3",
        "boto3>=1.43 --hash=sha256:" + HASH,
        "boto3==1.43.106",
        "boto3==1.43.106 --hash=md5:" + HASH,
        "git+https://example.com/boto3.git",
        "-r other.txt",
    ],
)
def test_a_line_without_version_or_hash_is_refused(tmp_path, line):
    with pytest.raises(packages.LockError, match="no exact version with hashes"):
        packages.locked_packages(lock_of(tmp_path, line + "\n"))


def test_a_package_has_its_name_version_and_hashes(tmp_path):
    lines = f"six==1.17.0 \\\n    --hash=sha256:{HASH} \\\n    --hash=sha256:{'b' * 64}\n# why\n"
    (found,) = packages.locked_packages(lock_of(tmp_path, lines))
    assert found == packages.Locked("six", "1.17.0", (HASH, "b" * 64))


@pytest.mark.parametrize("lock", LOCKS, ids=packages.LOCKS)
def test_every_package_that_ships_has_its_reason(lock):
    source = lock.with_suffix(".in").read_text()
    lines = [line for line in source.splitlines() if line[0] != "#"]
    reasons = dict(
        re.fullmatch(r"([a-z0-9-]+)(?:==\S+)?  # (\S.+)", line).groups() for line in lines
    )
    assert reasons.keys() == {package.name for package in packages.locked_packages(lock)}


def test_no_package_ships_twice():
    assert len(KNOWN) == sum(len(packages.locked_packages(lock)) for lock in LOCKS)


def test_what_a_locked_package_needs_is_locked_too():
    """Compared with the packages of this environment, which pip has installed from the locks."""
    for name in KNOWN:
        for need in metadata.requires(name) or ():
            head, _, when = need.partition(";")
            needed = re.split(r"[^\w.-]", head)[0].lower().replace("_", "-")
            assert when or needed in KNOWN, (name, need)


def test_the_tests_run_with_the_locked_versions():
    assert {name: metadata.version(name) for name in KNOWN} == {
        name: package.version for name, package in KNOWN.items()
    }


def test_a_file_with_another_hash_is_not_taken(tmp_path, monkeypatch):
    """pip's own check, with a package that lies on this machine."""
    source = tmp_path / "index" / "example"
    source.mkdir(parents=True)
    (source / "pyproject.toml").write_text(
        '[project]\nname = "example"\nversion = "1"\n[build-system]\n'
        'requires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    )
    wheels = tmp_path / "wheels"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"),
            *("--no-build-isolation", "--wheel-dir", str(wheels), str(source)),
        ],
        check=True,
        capture_output=True,
    )
    (wheel,) = wheels.iterdir()
    right = subprocess.run(
        [sys.executable, "-m", "pip", "hash", str(wheel)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.rsplit("--hash=", 1)[1]
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))

    wrong = lock_of(tmp_path, f"example==1 --hash=sha256:{HASH}\n")
    with pytest.raises(packages.PackagesMissingError, match="are not those that it names"):
        packages.packages(wrong, tmp_path / "build")
    made = packages.packages(lock_of(tmp_path, f"example==1 --hash={right}"), tmp_path / "build")
    assert [entry.name for entry in made.iterdir()] == ["example-1.dist-info"]
    assert not list((tmp_path / "build").glob("fetching-*"))
