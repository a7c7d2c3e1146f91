import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import type { Settings } from '#app/context/app-context.ts'
import { type ReferenceView, referenceView } from '#app/features/reference/reference-view.ts'
import { REFERENCE_TITLE, ReferencePage } from '#app/features/reference/ui/reference-page.tsx'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { REFERENCE } from '../api/calls.server.ts'

/** A page to read, without buttons: the root omits the product's scripts. */
export const handle = { withoutScripts: true }

export const meta: MetaFunction = () => [{ title: `${REFERENCE_TITLE} · Fieldhook` }]

/** Created once: it depends on the settings alone. */
const views = new WeakMap<Settings, ReferenceView>()

/** `/api-reference`: public, because it shows no account data. */
export function loader({ context: { app, clientIp } }: LoaderFunctionArgs) {
  requireRate(app, 'reference', clientIp)
  const view = views.get(app.settings) ?? referenceView(REFERENCE, app.settings.origin)
  views.set(app.settings, view)
  return view
}

export default function ApiReference() {
  return <ReferencePage {...useLoaderData<typeof loader>()} />
}
