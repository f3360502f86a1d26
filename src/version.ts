declare const __VERSION__: string;

/** Set by the build; the sources alone have no version. */
export const version: string = typeof __VERSION__ === "string" ? __VERSION__ : "0.0.0-source";
