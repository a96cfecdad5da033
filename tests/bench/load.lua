-- Sends one request over and over; the body and headers come from files named in the environment.
local function read(path) local file = assert(io.open(path, "rb")); local all = file:read("*a"); file:close(); return all end
local headers = {}
for line in io.lines(os.getenv("LOAD_HEADERS")) do
  local name, value = line:match("^([^:]+): (.*)$")
  if name then headers[name] = value end
end
wrk.method, wrk.headers, wrk.body = "POST", headers, read(os.getenv("LOAD_BODY"))
function done(summary, latency)
  io.write(string.format('RESULT {"requests":%d,"us":%d,"failed":%d,"p50":%d,"p99":%d}\n', summary.requests, summary.duration,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout + summary.errors.status,
    latency:percentile(50), latency:percentile(99)))
end
