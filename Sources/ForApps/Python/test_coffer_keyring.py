"""The contract of the package keyring for its backends, against the vault that the environment names."""

import keyring
import pytest
from keyring.errors import KeyringError
from keyring.testing.backend import BackendBasicTests

import coffer_keyring


class TestCofferKeyring(BackendBasicTests):
    def init_keyring(self):
        return coffer_keyring.Keyring()

    def test_values_are_kept_exactly(self):
        for value in ["a\n", "\n", "a\nb\r\n", "nul \0 nul", "é" * 10_000, "x" * 1_000_000]:
            self.set_password("exact", "jane", value)
            assert self.keyring.get_password("exact", "jane") == value

    def test_a_name_that_looks_like_an_option_is_a_name(self):
        self.set_password("--app", "-x", "value")
        assert self.keyring.get_password("--app", "-x") == "value"

    def test_an_error_is_no_missing_password(self):
        alt = self.keyring.with_properties(group="no.such.group")
        with pytest.raises(KeyringError):
            alt.get_password("service", "user")


def test_keyring_chooses_the_backend():
    backend = keyring.get_keyring()
    names = [type(b).__module__ for b in getattr(backend, "backends", [backend])]
    assert names[0] == "coffer_keyring"
