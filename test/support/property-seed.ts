import fc from "fast-check";

// Every run on a developer's machine explores new cases; a landing repeats known ones. PROPERTY_SEED=n repeats a failure.
const seed = process.env.PROPERTY_SEED ?? (process.env.CI ? "20261115" : undefined);
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
