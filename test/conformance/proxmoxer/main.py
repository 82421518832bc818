"""Plays the whole story against each of the labs that come as JSON on stdin: its release, url, factory, fingerprint and token."""

import json
import sys
import traceback

import discovery
import images
import machines
import story


def main():
    for wish in json.load(sys.stdin):
        lab = story.Lab(**wish)
        by_token = [(scene, lab.by_token) for scene in discovery.SCENES + images.SCENES + machines.SCENES]
        # The same life of machines once more by the other way in.
        by_password = [(scene, lab.by_password) for scene in machines.SCENES]
        for scene, log_in in by_token + by_password:
            try:
                # A ticket is good for two hours, which the lab's clock counts in seconds: each scene logs in for itself.
                scene(lab, log_in())
            except Exception:
                print(f"on {wish['release']}: {scene.__module__}: {scene.__name__}", file=sys.stderr)
                traceback.print_exc()
                return 1
    print(f"{story.checks} checks")
    return 0


sys.exit(main())
