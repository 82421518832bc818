"""What the scenes share: the two ends of the conversation, and how a scene says what it expects."""

from contextlib import contextmanager
from urllib.parse import urlsplit

from proxmoxer import ProxmoxAPI, ResourceException
from proxmoxer.tools import Tasks

ROOT_PASSWORD = "proxmox-lab"
NODE = "pve1"
# Faster than its own second: an hour of the lab passes in eighteen.
POLL = 0.02


class Lab:
    def __init__(self, release, url, factory, fingerprint, token):
        # "8.4": what Proxmox says differs a little from one to the next.
        self.is_nine = release.startswith("9.")
        self.address = urlsplit(url)
        self.factory = factory
        self.fingerprint = fingerprint
        self.owner, self.secret = token.split("=", 1)

    def by_token(self, secret=None, owner=None):
        user, name = (owner or self.owner).split("!", 1)
        return self._connect(user=user, token_name=name, token_value=secret or self.secret)

    def by_password(self, password=ROOT_PASSWORD):
        return self._connect(user="root@pam", password=password)

    def _connect(self, **who):
        return ProxmoxAPI(self.address.hostname, port=self.address.port, verify_ssl=False, timeout=300, **who)


checks = 0


def expect(what, actual, wanted):
    global checks
    checks += 1
    if actual != wanted:
        raise AssertionError(f"{what}\n  expected {wanted!r}\n  found    {actual!r}")


def expect_that(what, holds, seen=None):
    expect(what if seen is None else f"{what}: {seen!r}", bool(holds), True)


@contextmanager
def refused(status, phrase, reason, errors=None):
    """The call inside is answered so, and proxmoxer says so: `phrase` is HTTP's own, `reason` is Proxmox's."""
    try:
        yield
    except ResourceException as e:
        expect("status of a refusal", e.status_code, status)
        expect("what HTTP calls the status", e.status_message, phrase)
        expect("reason phrase of a refusal", e.content, reason)
        expect("errors of a refusal", e.errors, errors)
    else:
        raise AssertionError(f"not refused: {reason}")


def waited(api, upid, kind, about, exitstatus="OK"):
    """Follows a task to its end with proxmoxer's own tools, and gives its log."""
    parts = Tasks.decode_upid(upid)
    expect("type of task", parts["type"], kind)
    expect("what a task is about", parts["id"], str(about))
    expect("comment of a task id", parts["comment"], "")
    status = Tasks.blocking_status(api, upid, timeout=600, polling_interval=POLL)
    expect_that(f"{kind} ended in time", status is not None)
    expect(f"how {kind} ended", status["exitstatus"], exitstatus)
    expect("the task names itself", (status["upid"], status["node"], status["type"]), (upid, parts["node"], kind))
    expect("process and times agree with the id", (status["pid"], status["pstart"], status["starttime"]),
           (parts["pid"], parts["pstart"], parts["starttime"]))
    expect("a token's task says whose it is", status["user"], parts["user"])
    log = Tasks.decode_log(api.nodes(parts["node"]).tasks(upid).log.get(limit=0))
    last = "TASK OK" if exitstatus == "OK" else f"TASK ERROR: {exitstatus}"
    expect("last line of a task's log", log.splitlines()[-1], last)
    return log
