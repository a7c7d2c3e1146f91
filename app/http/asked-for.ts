// Did a person ask for this, or did a browser fetch it ahead, or somebody else's page lead here? For the few addresses that do
// something when they are looked at.

/** A browser fetches what may be wanted next: nothing may happen by that. */
export function isFetchedAhead({ headers }: Pick<Request, 'headers'>): boolean {
  return /prefetch|prerender/i.test(`${headers.get('sec-purpose') ?? ''} ${headers.get('purpose') ?? ''}`)
}

/** A press on a page of ours. */
export function isOwnClick(request: Pick<Request, 'headers'>): boolean {
  return request.headers.get('sec-fetch-site') === 'same-origin' && !isFetchedAhead(request)
}
