"""The functions' Python is the repository's, whoever deploys."""

import sys
from datetime import timedelta

import pytest

from ops.stage import chalice_deploy, runtime


def test_another_python_than_the_pinned_one_is_refused_with_both_named(monkeypatch, tmp_path):
    monkeypatch.setattr(runtime, "PIN", tmp_path / "pin")
    runtime.PIN.write_text("3.99\n")
    with pytest.raises(SystemExit, match=r"Python 3\.99 .* which is 3\.\d+"):
        chalice_deploy.check()
    runtime.PIN.write_text(f"{sys.version_info.major}.{sys.version_info.minor}\n")
    runtime.refuse_other()


def test_a_runtime_that_lambda_takes_no_more_is_refused_with_its_day():
    end = runtime.ENDS[runtime.name()].no_create
    runtime.refuse_ended(end - timedelta(days=1))
    with pytest.raises(SystemExit, match=f"{runtime.name()} since {end}"):
        runtime.refuse_ended(end)


def test_packaging_without_a_region_ends_before_it_downloads_anything(monkeypatch, tmp_path):
    """Chalice says so after a minute of packaging."""
    monkeypatch.setattr(runtime, "refuse_other", lambda: None)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit, match="AWS_DEFAULT_REGION"):
        chalice_deploy.check()
