// Forwarding rules of an account that has many: whole cards for those that need somebody and for the one that is open, a line for
// each of the others. A thousand whole cards are a page of many megabytes, and nobody reads them.
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { needsAttention } from './endpoint-status.ts'
import type { EndpointLine, EndpointView } from './endpoint-view.ts'

/** Up to here every rule has its whole card. */
export const WHOLE_CARDS = 20

/** Both in the order given. `opened` = the card that the page's address names. */
export function foldRules<Rule extends { view: EndpointView }>(
  rules: readonly Rule[],
  opened: EndpointKey | null,
): { whole: Rule[]; lines: EndpointLine[] } {
  if (rules.length <= WHOLE_CARDS) return { whole: [...rules], lines: [] }
  const troubled = rules.filter(({ view }) => needsAttention(view.status)).slice(0, WHOLE_CARDS)
  const shown = new Set<EndpointKey>([...troubled.map(({ view }) => view.id), ...(opened === null ? [] : [opened])])
  return {
    whole: rules.filter(({ view }) => shown.has(view.id)),
    lines: rules.filter(({ view }) => !shown.has(view.id)).map(({ view }) => lineOf(view)),
  }
}

function lineOf({ id, kind, name, label, callbackUrl, status }: EndpointView): EndpointLine {
  return { id, kind, name, label, callbackUrl, status }
}
