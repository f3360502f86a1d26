import { isWorthwhile, type Stage } from "../stage.ts";
import { bookCall } from "./book-call.ts";
import { foldEstimate } from "./fold-estimate.ts";
import type { FoldLimits } from "./fold-limits.ts";
import { foldNow } from "./summarise.ts";

/**
 * The conversation is folded when carrying what a fold would free has cost more than the fold will, long before the window is full. Archiving
 * only frees results; what the agent said and asked for fills half of a long view.
 */
export const settle: Stage<FoldLimits> = async (context, parameters) => {
  const { rent, isCold } = context;
  bookCall(context);
  const { freed, price } = foldEstimate(context, parameters);
  rent.foldPrice = price;
  if (isCold) return undefined;
  rent.carry("fold", freed);
  if (!rent.isDue("fold", price) || !isWorthwhile(context, freed)) return undefined;
  const edits = await foldNow(context, parameters);
  // there was less to fold than it seemed; not looked at again before as much rent has come together
  if (edits === undefined) rent.made("fold", 0);
  return edits;
};
