// Links to /api-reference#… from the time when it was one page: goes on to the page that has the place now.
const line = document.getElementById(location.hash.slice(1))
if (line instanceof HTMLAnchorElement) location.replace(line.href)
