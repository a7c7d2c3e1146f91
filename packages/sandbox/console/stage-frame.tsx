// The document around every page of the sandbox: head, skip link, header ("curtain").
import type { ReactNode } from 'react'

interface StageFrameProps {
  title: string
  /** Name of the owner of the page. */
  owner: string
  /** Content of the header: name, motto, links. */
  curtain: ReactNode
  /** Between the header and the content. */
  below?: ReactNode
  children: ReactNode
}

export function StageFrame({ title, owner, curtain, below = null, children }: StageFrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${owner}`}</title>
        <link rel="icon" href="/sandbox/console/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/sandbox/console/console.css" />
      </head>
      <body>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <header className="curtain">
          <div className="inner">{curtain}</div>
        </header>
        {below}
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  )
}
