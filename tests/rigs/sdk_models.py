"""Parses each of the AWS SDK's models once per process; nearly every test builds new sessions."""

import functools

import botocore.session
from botocore.loaders import JSONFileLoader


class _Once(JSONFileLoader):
    load_file = functools.cache(JSONFileLoader.load_file)


def pytest_configure():
    """Make all sessions read one parsed copy, as the clients of one session do.

    Loaders that belong to no session still parse: moto changes what it has loaded.
    """
    files, of_a_session = _Once(), botocore.session.create_loader

    def create_loader(*paths):
        made = of_a_session(*paths)
        made.file_loader = files
        return made

    botocore.session.create_loader = create_loader
