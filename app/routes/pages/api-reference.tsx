import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import type { Settings } from '#app/context/app-context.ts'
import { type ReferenceView, referenceView } from '#app/features/reference/reference-view.ts'
import { REFERENCE_TITLE, ReferencePage } from '#app/features/reference/ui/reference-page.tsx'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { REFERENCE } from '../api/calls.server.ts'

/** Read and never pressed: the root leaves the product's scripts out. */
export const handle = { withoutScripts: true }

export const meta: MetaFunction = () => [{ title: `${REFERENCE_TITLE} · Fieldhook` }]

/** Made once: it follows from the settings alone. */
const views = new WeakMap<Settings, ReferenceView>()

/** `/api-reference`: for anybody, because it shows nothing of any account. */
export function loader({ context: { app, clientIp } }: LoaderFunctionArgs) {
  requireRate(app, 'reference', clientIp)
  const view = views.get(app.settings) ?? referenceView(REFERENCE, app.settings.origin)
  views.set(app.settings, view)
  return view
}

export default function ApiReference() {
  return <ReferencePage {...useLoaderData<typeof loader>()} />
}
