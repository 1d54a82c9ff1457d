"""The bundle of the functions: bytecode, the same bytes each time, AWS's data of used services alone."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import botocore
import pytest
from botocore.loaders import Loader
from botocore.session import Session
from chalice.deploy.packager import LambdaDeploymentPackager

from ops.stage import archive, aws_models, bytecode, function_bundle, packages

ROOT = Path(__file__).parents[3]
UNCHECKED_HASH = 1  # PEP 552: the first of the flags says hash, the second that it is compared


def project(folder: Path, *, seconds: int = 0) -> Path:
    """A project of two modules with what can differ from one compilation to the next."""
    (folder / ".chalice").mkdir(parents=True)
    (folder / "chalicelib").mkdir()
    (folder / "app.py").write_text("from chalicelib import words\n")
    words = folder / "chalicelib" / "words.py"
    words.write_text("def has(one):\n    return one in {'a', 'b', 'c', 'd', 'e', 'f'}\n")
    (folder / "requirements.txt").write_text("")
    for file in archive.files(folder).values():
        os.utime(file, (1_700_000_000 + seconds,) * 2)
        file.chmod(0o600 if seconds else 0o664)
    return folder


def built(folder: Path) -> Path:
    sources = [
        (str(folder / "app.py"), "app.py"),
        (str(folder / "chalicelib" / "words.py"), "chalicelib/words.py"),
    ]
    return function_bundle.build(folder, sources)


def test_every_module_ships_with_bytecode_that_no_time_can_make_stale(tmp_path: Path):
    with zipfile.ZipFile(built(project(tmp_path / "one"))) as bundle:
        names = set(bundle.namelist())
        for module in ("app", "chalicelib/words"):
            found = Path(importlib.util.cache_from_source(f"{module}.py")).as_posix()
            header = bundle.read(found)[:8]
            assert header[:4] == importlib.util.MAGIC_NUMBER
            assert int.from_bytes(header[4:], "little") == UNCHECKED_HASH

    assert {"app.py", "chalicelib/words.py"} <= names
    assert len(names) == 4


def test_the_same_sources_give_the_same_bytes_wherever_and_whenever(tmp_path: Path):
    first = built(project(tmp_path / "one"))
    other = built(project(tmp_path / "a" / "longer" / "path", seconds=86_400))

    assert first.read_bytes() == other.read_bytes()
    assert first.name == other.name


def test_a_change_of_a_source_gives_another_bundle(tmp_path: Path):
    folder = project(tmp_path / "one")
    before = built(folder)
    (folder / "app.py").write_text("from chalicelib import words  # noqa\n")

    assert built(folder).name != before.name


def test_a_module_that_cannot_be_compiled_is_not_shipped(tmp_path: Path):
    folder = project(tmp_path / "one")
    (folder / "app.py").write_text("def broken(:\n")

    with pytest.raises(subprocess.CalledProcessError):
        built(folder)


def test_a_traceback_names_the_place_in_lambda(tmp_path: Path):
    (tmp_path / "failing.py").write_text("raise ValueError\n")
    bytecode.compile_folder(tmp_path)
    run = subprocess.run(
        [sys.executable, "-S", "-c", "import failing"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "ValueError" in run.stderr
    cached = importlib.util.cache_from_source(str(tmp_path / "failing.py"))
    assert b"/var/task/failing.py" in Path(cached).read_bytes()


def test_chalices_commands_upload_this_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    own = LambdaDeploymentPackager.create_deployment_package
    monkeypatch.setattr(LambdaDeploymentPackager, own.__name__, own)
    function_bundle.take_over()
    folder = project(tmp_path / "one")

    packager = LambdaDeploymentPackager.__new__(LambdaDeploymentPackager)
    listed = {(str(folder / "app.py"), "app.py")}
    monkeypatch.setattr(packager, "_iter_app_filenames", lambda _: listed, raising=False)
    made = Path(packager.create_deployment_package(str(folder), "python3.11"))
    with zipfile.ZipFile(made) as bundle:
        assert "app.py" in bundle.namelist()
        assert any(name.endswith(".pyc") for name in bundle.namelist())


def test_packages_that_cannot_be_had_end_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own = LambdaDeploymentPackager.create_deployment_package
    monkeypatch.setattr(LambdaDeploymentPackager, own.__name__, own)
    function_bundle.take_over()
    folder = project(tmp_path / "one")
    (folder / "requirements.txt").write_text(f"example==1 --hash=sha256:{'a' * 64}\n")

    def missing(*_):
        raise packages.PackagesMissingError("no index")

    monkeypatch.setattr(function_bundle, "packages", missing)
    packager = LambdaDeploymentPackager.__new__(LambdaDeploymentPackager)
    monkeypatch.setattr(packager, "_iter_app_filenames", lambda _: [], raising=False)
    with pytest.raises(SystemExit, match="no index"):
        packager.create_deployment_package(str(folder), "python3.11")


# --- AWS's data ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trimmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed botocore's data, with what ships."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(Path(botocore.__file__).parent / "data", site / "botocore" / "data")
    aws_models.keep_used(site)
    return site / "botocore" / "data"


def test_the_services_that_ship_are_those_that_the_code_makes_a_client_of():
    made = {
        node.args[0].value
        for tree in ("chalicelib", "console", "ops")
        for module in (ROOT / tree).rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("client", "client_of")
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }

    assert made == aws_models.SERVICES


def test_what_ships_has_each_service_and_nothing_of_any_other(trimmed: Path):
    shared = {"_retry.json", "endpoints.json", "partitions.json", "sdk-default-configuration.json"}

    assert {entry.name for entry in trimmed.iterdir()} == aws_models.SERVICES | shared
    assert not list(trimmed.rglob("examples-1.json*"))


@pytest.mark.parametrize("service", sorted(aws_models.SERVICES))
@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1", "us-gov-west-1", "cn-north-1"])
def test_a_client_of_what_ships_calls_the_same_address_and_signs_alike(
    trimmed: Path, service: str, region: str
):
    whole = described(service, region, Path(botocore.__file__).parent / "data")

    assert described(service, region, trimmed) == whole


def described(service: str, region: str, data: Path) -> tuple[object, ...]:
    session = Session()
    loader = Loader(extra_search_paths=[str(data)], include_default_search_paths=False)
    session.register_component("data_loader", loader)
    client = session.create_client(
        service, region, aws_access_key_id="invented", aws_secret_access_key="invented"
    )
    signing = client._request_signer
    return (
        client.meta.endpoint_url,
        signing.signature_version,
        signing.signing_name,
        signing.region_name,
        sorted(client.meta.service_model.operation_names),
    )


def test_a_folder_without_botocore_is_left_alone(tmp_path: Path):
    (tmp_path / "example.py").write_text("")
    aws_models.keep_used(tmp_path)

    assert [entry.name for entry in tmp_path.iterdir()] == ["example.py"]
