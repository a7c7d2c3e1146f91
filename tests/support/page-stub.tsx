// Renders a page as the product does: below the announcer and the messages, with a router and its own routes.
import { createRemixStub } from '@remix-run/testing'
import { cleanup, configure, render } from '@testing-library/react'
import type { ReactElement } from 'react'
import type { Flash } from '#app/lib/flash.ts'
import { Announcer } from '#app/ui/announcer.tsx'
import { useFocusKept } from '#app/ui/focus-kept.tsx'
import { FlashLine } from '#app/ui/page/app-frame.tsx'
import { ToastProvider } from '#app/ui/toast/toast.tsx'

type Routes = Parameters<typeof createRemixStub>[0]
type Route = Routes[number]

interface PageStub {
  /** Rendered at `/`. */
  page: () => ReactElement
  /** The initial address, e.g. `/?accountUUID=a`. */
  at?: string
  flash?: Flash | null
  action?: Route['action']
  loader?: Route['loader']
  /** Additional routes. */
  routes?: Routes
}

// The future flags of the product's router; without them it warns about the next version.
const FUTURE = {
  v3_fetcherPersist: true,
  v3_relativeSplatPath: true,
  v3_throwAbortReason: true,
  v3_singleFetch: true,
  v3_routeConfig: true,
} as const

/** The router warns once per process about its next version: triggered here, before any test listens. */
function hearRouterNews(): void {
  const warn = console.warn
  console.warn = () => {}
  const Stub = createRemixStub([{ path: '/', Component: () => null }])
  render(<Stub />)
  cleanup()
  console.warn = warn
}

hearRouterNews()
// A busy machine sometimes needs longer than the default second.
configure({ asyncUtilTimeout: 5_000 })

function FocusKept() {
  useFocusKept()
  return null
}

export function pageStub({ page, at = '/', flash = null, action, loader, routes = [] }: PageStub): ReactElement {
  const Stub = createRemixStub([
    {
      path: '/',
      Component: () => (
        <Announcer>
          <ToastProvider flash={flash}>
            <FlashLine />
            <FocusKept />
            {page()}
          </ToastProvider>
        </Announcer>
      ),
      ...(action ? { action } : {}),
      ...(loader ? { loader } : {}),
    },
    ...routes,
  ])
  return <Stub initialEntries={[at]} future={FUTURE} />
}

export function renderPage(options: PageStub) {
  return render(pageStub(options))
}
