"""What a newly compiled lock says has changed."""

from local.deploy.locking import changes
from ops.stage.packages import Locked


def test_each_package_that_came_went_or_moved_has_a_line():
    before = [Locked("six", "1", ("a",)), Locked("idna", "3", ("b",)), Locked("boto3", "1", ("c",))]
    after = [
        Locked("six", "2", ("d",)),
        Locked("tzdata", "7", ("e",)),
        Locked("boto3", "1", ("c",)),
    ]
    assert list(changes(before, after)) == [
        "idna 3 is no longer shipped",
        "six 1 -> 2: https://pypi.org/project/six/2/",
        "tzdata 7 is new: https://pypi.org/project/tzdata/7/",
    ]


def test_other_files_under_the_same_version_are_pointed_out():
    (line,) = changes([Locked("six", "1", ("a",))], [Locked("six", "1", ("b",))])
    assert "other files" in line
