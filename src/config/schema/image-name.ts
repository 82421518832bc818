import { text } from "./value.ts";

const IMAGE = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)+(:\w[\w.-]{0,127}|@sha256:[0-9a-f]{64}|:\w[\w.-]{0,127}@sha256:[0-9a-f]{64})$/;

/** A full image name with a tag or digest. */
export const imageName = (about: string, byDefault: string) =>
  text({
    about,
    example: byDefault,
    byDefault,
    check: (value) =>
      IMAGE.test(value)
        ? undefined
        : { says: "is not a full image name", hint: `write registry, name and tag or digest, such as ${byDefault}` },
  }).optional();
