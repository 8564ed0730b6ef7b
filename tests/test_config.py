"""Settings: policy over user over default, and every bad file a sentence."""

from pathlib import Path

import pytest

from desktop import config, errors
from desktop.errors import KnownError


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    return tmp_path / "policy.toml"


def test_policy_beats_user_beats_default_key_by_key(user_file: Path, policy_file: Path) -> None:
    user_file.write_text('traces = "off"\nprovider = "auto"\n', encoding="utf-8")
    policy_file.write_text('provider = "offline"\n', encoding="utf-8")
    settings = config.load(user_file, policy_file)
    assert settings.get(config.PROVIDER) == "offline"
    assert settings.locked(config.PROVIDER)
    assert settings.get(config.TRACES) == "off"
    assert not settings.locked(config.TRACES)
    assert settings.get(config.APPROVAL_EXPIRES_DAYS) == 14


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("traces = \n", "settings_unreadable"),
        ('tracing = "full"\n', "setting_unknown"),
        ('traces = "loud"\n', "setting_wrong_value"),
        ('approval.session_seconds = "60"\n', "setting_wrong_value"),
        ("approval.session_seconds = true\n", "setting_wrong_value"),
        ('station.lines = "ライン3"\n', "setting_wrong_value"),
        ('sync.transport = "folder"\n', "station_code_missing"),
        ('station.code = "../P07"\n', "setting_wrong_value"),
        ('station.code = "p07"\n', "setting_wrong_value"),
        ('station.code = "P070707"\n', "setting_wrong_value"),
    ],
)
def test_a_bad_settings_file_is_named(user_file: Path, policy_file: Path, text: str, code: str) -> None:
    user_file.write_text(text, encoding="utf-8")
    with pytest.raises(KnownError) as caught:
        config.load(user_file, policy_file)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "code", "for_its_eyes"),
    [
        ("[sync", "policy_unreadable", "table declaration"),
        ('tracing = "full"', "policy_setting_unknown", "tracing"),
        ('[sync]\ntransport = "pigeon"', "policy_wrong_value", "pigeon"),
    ],
)
def test_a_bad_policy_is_told_to_a_technician_and_in_full_to_it(
    user_file: Path, policy_file: Path, text: str, code: str, for_its_eyes: str
) -> None:
    policy_file.write_text(text, encoding="utf-8")
    with pytest.raises(KnownError, match=code) as raised:
        config.load(user_file, policy_file)
    for language, call in (("ja", "情シスに連絡"), ("en", "Tell your IT")):
        words, line = errors.sentence(raised.value, language), errors.for_it(raised.value, language)
        assert call in words
        assert for_its_eyes not in words
        assert for_its_eyes in line
        assert str(policy_file) in line


def test_a_settings_file_in_another_encoding_is_named(user_file: Path, policy_file: Path) -> None:
    user_file.write_bytes("station.lines = ['ライン3']\n".encode("cp932"))
    with pytest.raises(KnownError, match="settings_unreadable"):
        config.load(user_file, policy_file)


def test_a_policy_that_others_may_write_does_not_count(user_file: Path, policy_file: Path) -> None:
    policy_file.write_text('traces = "off"\n', encoding="utf-8")
    policy_file.chmod(0o666)
    with pytest.raises(KnownError, match="policy_untrusted"):
        config.load(user_file, policy_file)


def test_what_can_be_read_counts_for_a_check_that_must_go_on(user_file: Path, policy_file: Path) -> None:
    user_file.write_text('traces = "full"\nstation.code = "P07"\n', encoding="utf-8")
    policy_file.write_text('traces = "off"\nsync.transport = "folder"\n', encoding="utf-8")
    assert config.readable(user_file, policy_file).get(config.STATION_CODE) == "P07"
    user_file.write_text("nonsense = 1\n", encoding="utf-8")
    without_user = config.readable(user_file, policy_file)
    assert (without_user.get(config.TRACES), without_user.get(config.SYNC_TRANSPORT)) == ("off", "folder")
    policy_file.write_text("traces = [", encoding="utf-8")
    assert config.readable(user_file, policy_file).get(config.TRACES) == config.TRACES.default
    user_file.write_text('station.code = "P07"\n', encoding="utf-8")
    assert config.readable(user_file, policy_file).get(config.STATION_CODE) == "P07"


def test_saving_keeps_comments_and_respects_the_lock(user_file: Path, policy_file: Path) -> None:
    user_file.write_text('# ライン3のPC\n[station]\ncode = "P07"  # IT\n', encoding="utf-8")
    policy_file.write_text('traces = "off"\n', encoding="utf-8")
    settings = config.load(user_file, policy_file)
    config.save(user_file, config.STATION_LINES, ("ライン3",), settings)
    assert "# ライン3のPC" in user_file.read_text(encoding="utf-8")
    assert config.load(user_file, policy_file).get(config.STATION_LINES) == ("ライン3",)
    with pytest.raises(KnownError, match="setting_locked"):
        config.save(user_file, config.TRACES, "full", settings)


@pytest.mark.parametrize(
    ("host", "rule", "code"),
    [
        ("PC-L3-P07", "hostname:PC-L[0-9]-(P[0-9]+)", "P07"),
        ("pc-l3-p07.plant.example", "hostname:PC-L[0-9]-(P[0-9]+)", "P07"),
        ("PC-L3-P07", "hostname:(P[0-9]+)", ""),
        ("PC-L3-LONGCODE", "hostname:PC-L3-(.+)", ""),
        ("PC-L3-P_7", "hostname:PC-L3-(.+)", ""),
        ("PC-L3-", "hostname:PC-L3-(P[0-9]+)?", ""),
    ],
)
def test_policy_derives_the_station_code_from_the_host_name(
    host: str, rule: str, code: str, user_file: Path, policy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.node", lambda: host)
    user_file.write_text("station.code = 'OWN'\n", encoding="utf-8")
    policy_file.write_text(f"station.code_from = '{rule}'\n", encoding="utf-8")
    settings = config.load(user_file, policy_file)
    assert settings.get(config.STATION_CODE) == code
    assert settings.locked(config.STATION_CODE)
    policy_file.write_text(f"station.code_from = '{rule}'\nsync.transport = 'folder'\n", encoding="utf-8")
    if code:
        assert config.load(user_file, policy_file).get(config.STATION_CODE) == code
    else:
        with pytest.raises(KnownError, match="station_code_underivable"):
            config.load(user_file, policy_file)


def test_a_code_that_policy_names_is_not_derived(user_file: Path, policy_file: Path) -> None:
    policy_file.write_text("station = { code = 'P01', code_from = 'hostname:(.+)' }\n", encoding="utf-8")
    assert config.load(user_file, policy_file).get(config.STATION_CODE) == "P01"


@pytest.mark.parametrize("rule", ["hostname:PC-(P", "hostname:PC-P07", "user:(.+)", "hostname:"])
def test_a_rule_that_can_give_no_code_is_refused(user_file: Path, policy_file: Path, rule: str) -> None:
    policy_file.write_text(f"station.code_from = '{rule}'\n", encoding="utf-8")
    with pytest.raises(KnownError, match="policy_wrong_value"):
        config.load(user_file, policy_file)


def test_in_an_installed_build_only_policy_opens_a_way_out_of_the_plant(
    user_file: Path, policy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = 'provider = "auto"\n[cloud]\nconsent = "自分"\n[net]\nplant_hosts = ["api.example"]\n'
    user_file.write_text(own, encoding="utf-8")
    assert config.load(user_file, policy_file).get(config.CLOUD_CONSENT) == "自分"
    monkeypatch.setattr("desktop.paths.installation", lambda: {"scope": "user"})
    settings = config.load(user_file, policy_file)
    assert (settings.get(config.CLOUD_CONSENT), settings.get(config.NET_PLANT_HOSTS)) == ("", ())
    assert settings.get(config.PROVIDER) == "auto"
    policy_file.write_text('[cloud]\nconsent = "課長 2026-11-30"\n', encoding="utf-8")
    assert config.load(user_file, policy_file).get(config.CLOUD_CONSENT) == "課長 2026-11-30"
