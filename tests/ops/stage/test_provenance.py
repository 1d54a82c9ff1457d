"""A packaged stage states how it was made."""

import hashlib
import json

from ops.stage import packages, provenance


def test_every_package_that_ships_is_listed_with_its_files_hashes(tmp_path):
    provenance.write(tmp_path, "dev")
    document = json.loads((tmp_path / provenance.PACKAGES_FILE).read_text())
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    found = {
        (
            component["properties"][0]["value"],
            component["name"],
            component["version"],
            component["purl"],
        ): {digest["content"] for digest in component["hashes"]}
        for component in document["components"]
    }
    assert found == {
        (part, package.name, package.version, f"pkg:pypi/{package.name}@{package.version}"): set(
            package.hashes
        )
        for part, lock in packages.LOCKS.items()
        for package in packages.locked_packages(packages.ROOT / lock)
    }


def test_the_origin_names_the_locks_and_every_file(tmp_path):
    (tmp_path / "layer").mkdir()
    (tmp_path / "deployment.zip").write_bytes(b"bundle")
    (tmp_path / "layer" / "page.html").write_bytes(b"page")
    provenance.write(tmp_path, "prod")

    said = json.loads((tmp_path / provenance.ORIGIN_FILE).read_text())
    assert {subject["name"]: subject["digest"]["sha256"] for subject in said["subject"]} == {
        "deployment.zip": hashlib.sha256(b"bundle").hexdigest(),
        "layer/page.html": hashlib.sha256(b"page").hexdigest(),
    }
    built = said["predicate"]["buildDefinition"]
    assert built["externalParameters"]["stage"] == "prod"
    _, *locks = built["resolvedDependencies"]
    assert [source["digest"]["sha256"] for source in locks] == [
        hashlib.sha256((packages.ROOT / lock).read_bytes()).hexdigest()
        for lock in packages.LOCKS.values()
    ]
