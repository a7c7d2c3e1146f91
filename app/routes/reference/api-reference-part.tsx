import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { type ReferencePart, referencePart } from '#app/features/reference/reference-pages.ts'
import { REFERENCE_PATH } from '#app/features/reference/reference-places.ts'
import { REFERENCE_TITLE } from '#app/features/reference/ui/reference-index.tsx'
import { partTitle, ReferencePage } from '#app/features/reference/ui/reference-page.tsx'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { viewOf } from './api-reference-view.server.ts'

/** A page to read, without buttons: the root omits the product's scripts. */
export const handle = { withoutScripts: true }

export const meta: MetaFunction<typeof loader> = ({ data: part }) => [
  { title: `${part ? `${partTitle(part)} · ` : ''}${REFERENCE_TITLE} · Fieldhook` },
]

/** `/api-reference/webhooks`: one subject, or a general part. */
export function loader({ request, context: { app, clientIp } }: LoaderFunctionArgs): ReferencePart {
  requireRate(app, 'reference', clientIp)
  const { pathname } = new URL(request.url)
  const name = pathname.toLowerCase().slice(REFERENCE_PATH.length).replaceAll('/', '')
  const part = referencePart(viewOf(app.settings), name)
  if (part === null) throw new Response(null, { status: 404 })
  return part
}

export default function ApiReferencePart() {
  return <ReferencePage part={useLoaderData<typeof loader>()} />
}
