import { ErrorPage } from '#app/ui/page/error-page.tsx'

export function loader(): never {
  throw new Response(null, { status: 404, statusText: 'Not Found' })
}
/** The router's own answer to other methods is 405, and names our files. */
export const action = loader

/** Never rendered: they always throw, and the root's error boundary renders the page. */
export default function NotFound() {
  return <ErrorPage error={new Response(null, { status: 404 })} />
}
