"""Plays the whole story against the lab whose url, factory, fingerprint and token come as JSON on stdin."""

import json
import sys
import traceback

import discovery
import images
import machines
import story


def main():
    lab = story.Lab(**json.load(sys.stdin))
    api = lab.by_token()
    for scene in discovery.SCENES + images.SCENES + machines.SCENES:
        try:
            scene(lab, api)
        except Exception:
            print(f"{scene.__module__}: {scene.__name__}", file=sys.stderr)
            traceback.print_exc()
            return 1
    print(f"{story.checks} checks")
    return 0


sys.exit(main())
