import { cleanup, render, screen } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fetchScriptsAhead, scriptsOf } from './scripts-ahead.ts'

const PAGES = [
  { module: '/assets/root.js', imports: ['/assets/look.js'] },
  { path: 'deliveries', module: '/assets/deliveries.js', imports: ['/assets/look.js', '/assets/search.js'] },
  { path: 'deliveries/:id', module: '/assets/delivery.js' },
]

describe('the scripts of a page', () => {
  test.each([
    ['/deliveries', ['/assets/deliveries.js', '/assets/look.js', '/assets/search.js']],
    ['/deliveries/7', ['/assets/delivery.js']],
    ['/somewhere', []],
    ['/deliveries/7/more', []],
  ])('%s', (pathname, files) => {
    expect(scriptsOf(PAGES, pathname)).toEqual(files)
  })
})

describe('whoever is about to open a page', () => {
  function Page() {
    useEffect(fetchScriptsAhead, [])
    return (
      <p>
        <a href="/deliveries?accountUUID=a">
          <span>Deliveries</span>
        </a>
        <a href="https://elsewhere.example.com/deliveries">Elsewhere</a>
        <a href={location.pathname}>This page</a>
        <button type="button">Press</button>
      </p>
    )
  }
  const ahead = () =>
    [...document.head.querySelectorAll('link[rel=modulepreload]')].map(
      (link) => new URL((link as HTMLLinkElement).href).pathname,
    )
  const touch = (text: string, moment: string) =>
    screen.getByText(text).dispatchEvent(new Event(moment, { bubbles: true }))

  beforeEach(() => {
    Object.assign(window, { __remixManifest: { routes: Object.fromEntries(PAGES.map((page) => [page.module, page])) } })
    const look = Object.assign(document.createElement('link'), { rel: 'modulepreload', href: '/assets/look.js' })
    document.head.append(look)
  })
  afterEach(() => {
    for (const link of document.head.querySelectorAll('link')) link.remove()
    Reflect.deleteProperty(window, '__remixManifest')
    vi.unstubAllGlobals()
  })

  test.each(['pointerover', 'focusin', 'touchstart'])('has its scripts fetched, once: %s', (moment) => {
    render(<Page />)
    touch('Deliveries', moment)
    touch('Deliveries', moment)
    expect(ahead()).toEqual(['/assets/look.js', '/assets/deliveries.js', '/assets/search.js'])
  })

  test('and nothing else: not of other sites, of this page, or of what is no link', () => {
    render(<Page />)
    for (const text of ['Elsewhere', 'This page', 'Press']) touch(text, 'pointerover')
    expect(ahead()).toEqual(['/assets/look.js'])
  })

  test('not where data is saved', () => {
    vi.stubGlobal('navigator', { ...navigator, connection: { saveData: true } })
    render(<Page />)
    touch('Deliveries', 'pointerover')
    expect(ahead()).toEqual(['/assets/look.js'])
  })

  test('not after the page has gone', () => {
    render(<Page />)
    const link = document.createElement('a')
    link.href = '/deliveries'
    cleanup()
    document.body.append(link)
    link.dispatchEvent(new Event('pointerover', { bubbles: true }))
    link.remove()
    expect(ahead()).toEqual(['/assets/look.js'])
  })
})
