import { ErrorPage } from '#app/ui/page/error-page.tsx'

export function loader(): never {
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}

/** Never rendered: the loader always throws, and the root's error boundary renders the page. */
export default function NotFound() {
  return <ErrorPage error={new Response(null, { status: 404 })} />
}
