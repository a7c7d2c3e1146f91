export { readLogFilter } from '#app/features/webhooks/ui/log-filter.ts'
