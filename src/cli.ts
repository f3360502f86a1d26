#!/usr/bin/env node
import { version } from "./version.ts";

const argv = process.argv.slice(2);

// The one question that needs nothing loaded.
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) process.stdout.write(`corecoder ${version}\n`);
else void import("./start.ts").then(({ start }) => start(argv, require));
