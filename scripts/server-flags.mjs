// Memory flags of the server: without a limit V8 keeps half a minute of garbage. 32 MB for the young generation instead
// of 16 cost 30 MB (226 to 235 instead of 195 at 300 events/s: npm run bench) and save 6 % of processor time at
// saturation: an event's objects are dead before a collection examines them. Not collecting before it is full saves
// another 3 %. 384 MB of heap leave a machine of 512 MB room for the rest.
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--no-minor-gc-task', '--max-old-space-size=384']
