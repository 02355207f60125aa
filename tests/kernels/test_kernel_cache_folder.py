"""The cache of compiled kernels: damaged files heal, a full disk is no obstacle, the folder is the user's."""

import importlib.util
import os
import resource
import tempfile
from pathlib import Path

import pytest

from gatree.kernels import decorators as jit
from gatree.kernels.compiler import KernelCache
from gatree.kernels.decorators import cache_folder

pytestmark = pytest.mark.skipif(jit._compiler is None, reason="plain numba has its own cache, or none")

KERNEL = "from gatree.kernels.decorators import jit\n\n\n@jit\ndef double(x):\n    return x + x\n"


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A kernel as a new process meets it: not compiled, but for what the cache has."""
    source, cache = tmp_path / "kernel_of_a_test.py", tmp_path / "cache"
    source.write_text(KERNEL)
    cache.mkdir()
    monkeypatch.setattr(jit, "CACHE_FOLDER", cache)

    def load():
        spec = importlib.util.spec_from_file_location("kernel_of_a_test", source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.double

    return load


def hits(kernel):
    return sum(kernel.stats.cache_hits.values())


def files(fresh, ending):
    return sorted(jit.CACHE_FOLDER.rglob(f"*.{ending}"))


def test_what_was_compiled_once_is_found_again(fresh):
    first, second = fresh(), fresh()
    assert (first(21), hits(first)) == (42, 0)
    assert (second(21), hits(second)) == (42, 1)


DAMAGES = {
    "empty": lambda _: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "zeros": lambda content: bytes(len(content)),
    "one bit": lambda content: content[:-200] + bytes([content[-200] ^ 1]) + content[-199:],
    "another pickle": lambda _: b"\x80\x04N.",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache_heals(fresh, ending, damage):
    assert fresh()(21) == 42
    (file,) = files(fresh, ending)
    file.write_bytes(damage(file.read_bytes()))
    assert fresh()(21) == 42
    healed = fresh()
    assert (healed(21), hits(healed)) == (42, 1)


def test_code_of_another_signature_is_not_taken(fresh):
    kernel = fresh()
    assert (kernel(21), kernel(0.25)) == (42, 0.5)
    of_integers, of_floats = files(fresh, "nbc")
    of_floats.write_bytes(of_integers.read_bytes())
    assert fresh()(0.25) == 0.5


def test_a_full_disk_costs_the_compilation_only(fresh, monkeypatch, caplog):
    monkeypatch.setattr(KernelCache, "_warned", False)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    kernel = fresh()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    try:
        found = kernel(21), kernel(0.25)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert found == (42, 0.5)
    (message,) = caplog.messages
    assert "cannot be cached here (File too large)" in message


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """An empty folder for temporary files, and no cache at home."""
    (tmp_path / "no-folder").touch()
    monkeypatch.delenv("GATREE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no-folder"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"gatree-{os.getuid()}"


def test_the_fallback_is_private(temporary):
    assert cache_folder("kernels-x") == temporary / "kernels-x"
    assert temporary.stat().st_mode & 0o777 == 0o700
    assert cache_folder("kernels-x") == temporary / "kernels-x"


def test_a_folder_that_cannot_be_written_to_is_passed_over(temporary, monkeypatch):
    """Of the file system /proc, which not even root can write to."""
    monkeypatch.setenv("GATREE_CACHE_DIR", "/proc")
    assert cache_folder("kernels-x") == temporary / "kernels-x"


@pytest.mark.parametrize("is_link", [False, True])
def test_a_fallback_that_others_can_write_to_or_a_link_is_not_used(temporary, tmp_path, is_link):
    planted = tmp_path / "planted" if is_link else temporary
    planted.mkdir()
    planted.chmod(0o700 if is_link else 0o777)
    if is_link:
        temporary.symlink_to(planted)
    assert cache_folder("kernels-x") is None


def test_a_fallback_of_another_user_is_not_used(temporary, monkeypatch):
    somebody = os.getuid() + 1
    folder = temporary.with_name(f"gatree-{somebody}")
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: somebody)
    assert cache_folder("kernels-x") is None


def test_without_user_numbers_the_fallback_has_the_name_of_the_user(temporary, monkeypatch):
    """Windows has no numbers of users."""
    monkeypatch.delattr(os, "getuid")
    monkeypatch.setattr(jit.getpass, "getuser", lambda: "somebody")
    assert cache_folder("kernels-x") == temporary.with_name("gatree-somebody") / "kernels-x"


def test_without_a_folder_kernels_are_compiled_all_the_same(fresh, monkeypatch):
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    assert fresh()(21) == 42


def test_a_chosen_folder_is_used_as_it_is(tmp_path, monkeypatch):
    chosen = tmp_path / "shared" / "cache"
    chosen.mkdir(parents=True)
    chosen.chmod(0o777)
    monkeypatch.setenv("GATREE_CACHE_DIR", str(chosen))
    assert cache_folder("kernels-x") == Path(chosen) / "kernels-x"
