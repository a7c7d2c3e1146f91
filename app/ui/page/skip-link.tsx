export const MAIN_ID = 'main'

/** First stop of the Tab key: past the header, to what the page is about. */
export function SkipLink() {
  return (
    <a
      href={`#${MAIN_ID}`}
      className="pointer-events-none fixed top-2 left-2 z-50 rounded-control bg-accent px-4 py-3 text-label font-medium text-on-accent opacity-0 focus:pointer-events-auto focus:opacity-100"
    >
      Skip to content
    </a>
  )
}
