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
  useMatches,
  useRouteError,
} from '@remix-run/react'
import type { ReactNode } from 'react'
import { accountAddress, shownAccount } from './features/accounts/account-address.ts'
import { loadFlash } from './http/flash.server.ts'
import './styles/theme.css'
import { Announcer } from './ui/announcer.tsx'
import { AppFrame } from './ui/app-frame.tsx'
import { ErrorPage } from './ui/error-page.tsx'
import { useNonce } from './ui/nonce.tsx'
import { ToastProvider } from './ui/toast.tsx'

export const links: LinksFunction = () => [
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'icon', href: '/favicon.ico', sizes: '32x32' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
  { rel: 'preload', href: interLatin, as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' },
]

export const meta: MetaFunction = ({ error }) => [{ title: error ? 'Fieldhook: something is missing' : 'Fieldhook' }]

/** Takes the message that the last action left for this page; the answer's headers make the browser forget it. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { flash, headers } = await loadFlash(context.app, request)
  return data({ flash }, { headers })
}

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce()
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  )
}

export default function App() {
  const { flash } = useLoaderData<typeof loader>()
  const account = shownAccount(useMatches().at(-1)?.data)
  return (
    <Announcer>
      <ToastProvider flash={flash}>
        <AppFrame accountPage={account && accountAddress(account)}>
          <Outlet />
        </AppFrame>
      </ToastProvider>
    </Announcer>
  )
}

export function ErrorBoundary() {
  const error = useRouteError()
  return (
    <AppFrame>
      <ErrorPage error={error} />
    </AppFrame>
  )
}
