import { describe } from "vitest";
import { providerCases } from "./provider.cases.ts";
import { providerFaultCases } from "./provider-faults.cases.ts";
import { providerLimitCases } from "./provider-limits.cases.ts";
import { wires } from "./provider-wires.ts";

for (const wire of wires)
  describe(wire.name, () => {
    providerCases(wire);
    providerFaultCases(wire);
    providerLimitCases(wire);
  });
