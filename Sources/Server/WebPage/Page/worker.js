// The page's files for when the server cannot be reached: never anything that the server has told.

/** The packing puts the version and the names of all files here. */
const cacheName = "segue.VERSION", names = FILES;

/** Milliseconds after which a server that does not answer is taken for one that is away. */
const patience = 2500;

const folder = new URL("./", location), page = new URL("../../", location);

self.addEventListener("install", (event) => {
  const addresses = names.map((name) => (name === "index.html" ? page.href : new URL(name, folder).href));
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(addresses)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const forget = async () => {
    const others = (await caches.keys()).filter((name) => name.startsWith("segue.") && name !== cacheName);
    await Promise.all(others.map((name) => caches.delete(name)));
    // The page is asked for while this worker starts.
    await self.registration.navigationPreload?.enable();
  };
  event.waitUntil(forget());
});

self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.mode === "navigate" && pathname === page.pathname) event.respondWith(openPage(event));
  else if (pathname.startsWith(folder.pathname)) event.respondWith(openFile(event.request));
});

/** The server's page, so that it is of the server's version; the one that is kept, where no server answers. */
async function openPage(event) {
  const late = new Promise((_, fail) => setTimeout(fail, patience));
  const told = (async () => (await event.preloadResponse) ?? fetch(event.request))();
  try {
    const response = await Promise.race([told, late]);
    // A proxy may answer for a server that is away.
    if (response.status < 500) return response;
  } catch {
    // There is the kept one.
  }
  return (await caches.match(page.href)) ?? told;
}

/** A file of this version never changes. */
async function openFile(request) {
  return (await caches.match(request.url)) ?? fetch(request);
}
