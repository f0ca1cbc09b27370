"""The request to the container service."""

from horae.executors.containers.work import Bind, Bounds, ContainerWork, creation


def test_limits_become_those_of_the_service():
    bounds = Bounds(memory=64 << 20, cpus=0.5, processes=10, cpu_seconds=0.2, files=64)
    host = creation(ContainerWork("image", bounds=bounds, network=False), {}, {})["HostConfig"]
    assert (host["Memory"], host["MemorySwap"], host["NanoCpus"], host["PidsLimit"]) == (
        64 << 20, 64 << 20, 500_000_000, 10,
    )  # fmt: skip
    assert host["Ulimits"] == [
        {"Name": "nofile", "Soft": 64, "Hard": 64},
        {"Name": "cpu", "Soft": 1, "Hard": 1},
    ]
    assert host["NetworkMode"] == "none"


def test_what_is_not_given_is_left_to_the_image_and_the_service():
    body = creation(ContainerWork("image"), {"A": "b=c"}, {"label": "x"})
    assert body.keys().isdisjoint({"Cmd", "Entrypoint", "WorkingDir", "User"})
    assert body["HostConfig"].keys().isdisjoint({"Memory", "NanoCpus", "PidsLimit", "Ulimits", "NetworkMode"})
    assert (body["Env"], body["Labels"], body["HostConfig"]["Mounts"]) == (["A=b=c"], {"label": "x"}, [])
    assert "Privileged" not in body["HostConfig"]


def test_mounts_are_read_only_by_default():
    mounts = [Bind("/a", "/b"), Bind("/c", "/d", read_only=False)]
    told = creation(ContainerWork("image", mounts=mounts), {}, {})["HostConfig"]["Mounts"]
    assert [(mount["Source"], mount["Target"], mount["ReadOnly"]) for mount in told] == [
        ("/a", "/b", True), ("/c", "/d", False),
    ]  # fmt: skip
