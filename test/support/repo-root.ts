import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repoRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The program as users get it; CORECODER_TEST_CLI names another build, such as an installed package. */
export const builtCli = process.env.CORECODER_TEST_CLI ?? join(repoRoot, "dist/cli.js");

/** Material kept beside the repository; tests that need it skip when it is absent. */
export const sharedFolder = join(dirname(repoRoot), "shared");
