// Keeps the page, so that it needs no server after the first visit. A new VERSION replaces it as a whole.
const NAME = "othellier-VERSION";
const FILES = ["./", "index.html", "page.css", "page.js", "othellier/othellier.js", "othellier/worker.js", "othellier/othellier.wasm"];

self.addEventListener("install", event =>
  event.waitUntil(caches.open(NAME).then(cache => cache.addAll(FILES.map(file => new Request(file, { cache: "no-cache" })))).then(() => self.skipWaiting())));

self.addEventListener("activate", event =>
  event.waitUntil(caches.keys().then(names => Promise.all(
    names.filter(name => name.startsWith("othellier-") && name !== NAME).map(name => caches.delete(name)))).then(() => self.clients.claim())));

self.addEventListener("fetch", event =>
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then(kept => kept ?? fetch(event.request))));
