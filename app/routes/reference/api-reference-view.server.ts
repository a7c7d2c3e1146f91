import type { Settings } from '#app/context/app-context.ts'
import { type ReferenceView, referenceView } from '#app/features/reference/reference-view.ts'
import { REFERENCE } from '../api/calls.server.ts'

/** Created once: it depends on the settings alone. */
const views = new WeakMap<Settings, ReferenceView>()

export function viewOf(settings: Settings): ReferenceView {
  const view = views.get(settings) ?? referenceView(REFERENCE, settings.origin)
  views.set(settings, view)
  return view
}
