import { useEffect } from 'react'

/**
 * When what had the focus is removed from the page, moves the focus to the nearest heading around it, so that the
 * keyboard goes on from there. Whoever moves it on purpose comes first.
 */
export function useFocusKept(): void {
  useEffect(() => {
    /** What has the focus, and everything around it, innermost first. */
    let around: Element[] = []
    let frame = 0
    const remember = ({ target }: FocusEvent) => {
      around = target instanceof Element ? ancestorsOf(target) : []
    }
    const forget = ({ target }: Event) => {
      if (target instanceof Node && !around[0]?.contains(target)) around = []
    }
    const look = () => {
      const [last] = around
      if (!last || last.isConnected || (document.activeElement ?? document.body) !== document.body) return
      const heading = around.find((one) => one.isConnected && one.querySelector(HEADINGS))?.querySelector(HEADINGS)
      around = []
      if (!(heading instanceof HTMLElement)) return
      if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1
      heading.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => {
      if (around[0]?.isConnected !== false) return
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(look)
      })
    })
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', remember)
    document.addEventListener('pointerdown', forget)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      document.removeEventListener('focusin', remember)
      document.removeEventListener('pointerdown', forget)
    }
  }, [])
}

const HEADINGS = 'h1, h2, h3, h4'

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = []
  for (let at: Element | null = element; at && at !== document.documentElement; at = at.parentElement) found.push(at)
  return found
}
