// Addresses of the page that asks whether to link an id. It keeps the query it came with, and where it came from.

const LINK_PATH = '/link'

/** Pages that are opened with an account in their address. */
const OPENED = ['/', '/fieldhook', '/automation']

/** The question about the address somebody opened. */
export function linkQuestionAddress({ pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams)
  query.set('to', pathname)
  return `${LINK_PATH}?${query}`
}

/** Back from the question to where it came from: a page of ours, without the proof. */
export function afterLinkAddress({ searchParams }: URL): string {
  const query = new URLSearchParams(searchParams)
  const to = query.get('to') ?? ''
  for (const name of ['to', 'token']) query.delete(name)
  return `${OPENED.includes(to) ? to : '/fieldhook'}?${query}`
}
