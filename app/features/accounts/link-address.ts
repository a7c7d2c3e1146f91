// URLs of the page that asks whether to link an id. They keep the original query, and the path to return to.

const LINK_PATH = '/link'

/** Pages that are opened with an account in their URL. */
const OPENED = ['/', '/fieldhook', '/automation']

/** The URL of the question for the URL that was opened. */
export function linkQuestionAddress({ pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams)
  query.set('to', pathname)
  return `${LINK_PATH}?${query}`
}

/** The URL to return to after the question: one of our pages, without the proof. */
export function afterLinkAddress({ searchParams }: URL): string {
  const query = new URLSearchParams(searchParams)
  const to = query.get('to') ?? ''
  for (const name of ['to', 'token']) query.delete(name)
  return `${OPENED.includes(to) ? to : '/fieldhook'}?${query}`
}
