import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { referenceIndex } from '#app/features/reference/reference-pages.ts'
import { REFERENCE_TITLE, ReferenceIndexPage } from '#app/features/reference/ui/reference-index.tsx'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { viewOf } from './api-reference-view.server.ts'

/** A page to read, without buttons: the root omits the product's scripts. */
export const handle = { withoutScripts: true }

export const meta: MetaFunction = () => [{ title: `${REFERENCE_TITLE} · Fieldhook` }]

/** `/api-reference`: public, because it shows no account data. */
export function loader({ context: { app, clientIp } }: LoaderFunctionArgs) {
  requireRate(app, 'reference', clientIp)
  return referenceIndex(viewOf(app.settings))
}

export default function ApiReference() {
  return <ReferenceIndexPage {...useLoaderData<typeof loader>()} />
}
