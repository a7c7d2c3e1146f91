// The document around every page, the messages, and the page for what goes wrong.
import interLatin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import { data, type LinksFunction, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node'
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLoaderData,
  useLocation,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from '@remix-run/react'
import { type ReactNode, useEffect } from 'react'
import { accountInAddress, shownAccount } from './domain/account-address.ts'
import { operatorAddress } from './features/ops/operator-address.ts'
import { loadFlash } from './http/flash.server.ts'
import { placesOf } from './routes/places.ts'
import './styles/theme.css'
import { useFreshAfterReturn } from './ui/after-return.ts'
import { Announcer, PageAnnounced } from './ui/announcer.tsx'
import { useFocusKept } from './ui/focus-kept.tsx'
import { unlessBackground } from './ui/form/background.ts'
import { useNonce } from './ui/nonce.tsx'
import { AppFrame } from './ui/page/app-frame.tsx'
import { ErrorPage, errorTitle } from './ui/page/error-page.tsx'
import { ToastProvider } from './ui/toast/toast.tsx'

export const links: LinksFunction = () => [
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'icon', href: '/favicon.ico', sizes: '32x32' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
  { rel: 'manifest', href: '/manifest.webmanifest' },
  { rel: 'preload', href: interLatin, as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' },
]

export const shouldRevalidate = unlessBackground

export const meta: MetaFunction = ({ error }) => [{ title: error ? errorTitle(error) : 'Fieldhook' }]

/** Takes the message that the last action left for this page; the answer's headers make the browser forget it. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { flash, headers } = await loadFlash(context.app, request)
  return data({ flash, origin: context.app.settings.origin }, { headers })
}

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce()
  const origin = useRouteLoaderData<typeof loader>('root')?.origin
  const withScripts = !useMatches().some(({ handle }) => isPlain(handle))
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#161f1e" media="(prefers-color-scheme: dark)" />
        <meta name="description" content={DESCRIPTION} />
        <meta property="og:site_name" content="Fieldhook" />
        <meta property="og:type" content="website" />
        <meta property="og:title" content="Fieldhook" />
        <meta property="og:description" content={DESCRIPTION} />
        {origin ? <SocialPicture origin={origin} /> : null}
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        {withScripts ? (
          <>
            <ScrollRestoration nonce={nonce} />
            <Scripts nonce={nonce} />
          </>
        ) : null}
      </body>
    </html>
  )
}

const DESCRIPTION = 'Forwards the webhooks of ServiceM8 and automates what follows, for trade businesses.'

/** Made by `npm run pictures:social`. */
function SocialPicture({ origin }: { origin: string }) {
  return (
    <>
      <meta property="og:image" content={`${origin}/social.png`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content="Fieldhook: webhooks and automations for trade businesses on ServiceM8" />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}

/** A page to be read says so in its `handle`, and comes without the product's scripts. */
function isPlain(handle: unknown): boolean {
  return typeof handle === 'object' && handle !== null && 'withoutScripts' in handle && handle.withoutScripts === true
}

/** Loaded once the page works. Not by `useOnDemand`: a state of the root would draw every page once more. */
function useScriptsAhead(): void {
  useEffect(() => {
    const stopping = import('./ui/scripts-ahead.ts').then(
      ({ fetchScriptsAhead }) => fetchScriptsAhead(),
      () => () => {},
    )
    return () => void stopping.then((stop) => stop())
  }, [])
}

export default function App() {
  const { flash } = useLoaderData<typeof loader>()
  useFreshAfterReturn()
  useScriptsAhead()
  useFocusKept()
  const account = shownAccount(useMatches().at(-1)?.data)
  const { pathname } = useLocation()
  return (
    <Announcer>
      {/* First: what the page itself announces comes after it, and counts. */}
      <PageAnnounced />
      <ToastProvider flash={flash}>
        <AppFrame
          places={account ? placesOf(account, pathname) : []}
          operatorPage={account?.admin ? operatorAddress(account.accountUUID) : null}
        >
          <Outlet />
        </AppFrame>
      </ToastProvider>
    </Announcer>
  )
}

export function ErrorBoundary() {
  const error = useRouteError()
  const { pathname, search } = useLocation()
  const account = accountInAddress(search)
  return (
    <AppFrame places={account ? placesOf(account, pathname) : []}>
      <ErrorPage error={error} />
    </AppFrame>
  )
}
