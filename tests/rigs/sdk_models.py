"""Reads each of the AWS SDK's models once per process; nearly every test builds new sessions."""

import functools

import botocore.session


class _Paths(list):
    """Where models are; boto3 adds its own folder for every session."""

    def append(self, path):
        if path not in self:
            super().append(path)


def pytest_configure():
    """Give all sessions one loader, as the clients of one session have.

    Loaders that belong to no session read for themselves: moto changes what it has loaded.
    """
    of_a_session = botocore.session.create_loader

    @functools.cache
    def create_loader(*paths):
        made = of_a_session(*paths)
        made._search_paths = _Paths(made.search_paths)
        return made

    botocore.session.create_loader = create_loader
