extension FakeSoundCard {
    /// The plugin of ALSA that poses as a card.
    static let code = #"""
        // A playback device for tests: an ALSA plugin that plays in real time, into a file.
        //
        // Its folder, which asound.conf names, has what it shows and what it is told:
        //   heard   what was heard, in the format in which it was played, without the times at which nothing was
        //   log     one line for each event: CLOCK_MONOTONIC in ns, the event, bytes of `heard` by then, and what goes with it
        //   gone    while it exists, the device is unplugged
        //   lock    held while the device is open, which only one program can do
        //
        // A thread takes the samples out of the buffer as a card's DMA does, every millisecond, so what is written over too late
        // is not heard. One that runs dry stops, as cards do.
        #define _GNU_SOURCE
        #define PIC
        #include <alsa/asoundlib.h>
        #include <alsa/control_external.h>
        #include <alsa/pcm_external.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/file.h>
        #include <time.h>
        #include <unistd.h>

        typedef struct {
            snd_pcm_ioplug_t io;
            char folder[512];
            int heard, log, lock, watched, signalled;
            long long bytes;
            size_t frame_size;
            pthread_t thread;
            pthread_mutex_t mutex;
            volatile int is_running, is_closing, is_gone, is_dry;
            long long begin;
            // Frames played since the start, and how much room a program wants to be told of.
            snd_pcm_uframes_t played, wanted_room;
            int has_told;
        } device;

        static long long now(void) {
            struct timespec time;
            clock_gettime(CLOCK_MONOTONIC, &time);
            return time.tv_sec * 1000000000ll + time.tv_nsec;
        }

        static void note(device *me, const char *event, const char *more) {
            dprintf(me->log, "%lld %s %lld %s\n", now(), event, me->bytes, more);
        }

        static int is_unplugged(device *me) {
            char path[600];
            snprintf(path, sizeof path, "%s/gone", me->folder);
            return access(path, F_OK) == 0;
        }

        // Plays what is due; called with the mutex held.
        static void play(device *me) {
            if (!me->is_running || me->is_gone) return;
            const snd_pcm_channel_area_t *areas = snd_pcm_ioplug_mmap_areas(&me->io);
            snd_pcm_uframes_t due = (snd_pcm_uframes_t)((now() - me->begin) * (__int128)me->io.rate / 1000000000);
            snd_pcm_uframes_t queued = me->io.appl_ptr, end = due < queued ? due : queued;
            while (areas != NULL && me->played < end) {
                snd_pcm_uframes_t count = end - me->played, place = me->played % me->io.buffer_size;
                if (count > me->io.buffer_size - place) count = me->io.buffer_size - place;
                const char *bytes = (const char *)areas[0].addr + areas[0].first / 8 + place * me->frame_size;
                if (write(me->heard, bytes, count * me->frame_size) < 0) return;
                me->bytes += count * me->frame_size;
                me->played += count;
            }
            if (due > queued && !me->is_dry) {
                me->is_dry = 1;
                note(me, "dry", "");
            }
        }

        static int has_room(device *me) {
            return me->io.buffer_size - (me->io.appl_ptr - me->played) >= me->wanted_room || me->is_dry;
        }

        static void *run(void *context) {
            device *me = context;
            pthread_setname_np(pthread_self(), "fake-dma");
            pthread_mutex_lock(&me->mutex);
            while (!me->is_closing) {
                if (is_unplugged(me) && !me->is_gone) {
                    me->is_gone = 1;
                    me->is_running = 0;
                    note(me, "gone", "");
                    close(me->signalled);
                    me->signalled = -1;
                }
                play(me);
                if (!me->has_told && has_room(me) && write(me->signalled, "", 1) == 1) me->has_told = 1;
                pthread_mutex_unlock(&me->mutex);
                usleep(1000);
                pthread_mutex_lock(&me->mutex);
            }
            pthread_mutex_unlock(&me->mutex);
            return NULL;
        }

        static int start(snd_pcm_ioplug_t *io) {
            device *me = io->private_data;
            if (me->is_gone) return -ENODEV;
            pthread_mutex_lock(&me->mutex);
            me->begin = now();
            me->is_running = 1;
            note(me, "start", "");
            pthread_mutex_unlock(&me->mutex);
            return 0;
        }

        static int stop(snd_pcm_ioplug_t *io) {
            device *me = io->private_data;
            pthread_mutex_lock(&me->mutex);
            play(me);
            if (me->is_running) note(me, "stop", "");
            me->is_running = 0;
            pthread_mutex_unlock(&me->mutex);
            return 0;
        }

        static int pause_at(snd_pcm_ioplug_t *io, int enable) {
            if (!enable) return -ENOSYS;
            return stop(io);
        }

        static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
            device *me = io->private_data;
            pthread_mutex_lock(&me->mutex);
            play(me);
            snd_pcm_sframes_t place = me->is_gone ? -ENODEV : me->is_dry ? -EPIPE : me->played % io->buffer_size;
            pthread_mutex_unlock(&me->mutex);
            return place;
        }

        static int prepare(snd_pcm_ioplug_t *io) {
            device *me = io->private_data;
            if (me->is_gone) return -ENODEV;
            pthread_mutex_lock(&me->mutex);
            me->played = 0;
            me->is_dry = 0;
            me->is_running = 0;
            pthread_mutex_unlock(&me->mutex);
            return 0;
        }

        static int hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
            device *me = io->private_data;
            char text[200];
            me->frame_size = snd_pcm_format_physical_width(io->format) / 8 * io->channels;
            snprintf(text, sizeof text, "%s %u %u %lu %lu", snd_pcm_format_name(io->format), io->rate, io->channels,
                (unsigned long)io->period_size, (unsigned long)io->buffer_size);
            note(me, "format", text);
            return me->is_gone ? -ENODEV : 0;
        }

        static int sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
            return snd_pcm_sw_params_get_avail_min(params, &((device *)io->private_data)->wanted_room);
        }

        static int poll_revents(snd_pcm_ioplug_t *io, struct pollfd *place, unsigned int count, unsigned short *events) {
            device *me = io->private_data;
            char bytes[8];
            pthread_mutex_lock(&me->mutex);
            if (read(me->watched, bytes, sizeof bytes) > 0) me->has_told = 0;
            *events = me->is_gone ? POLLERR : has_room(me) ? POLLOUT : 0;
            pthread_mutex_unlock(&me->mutex);
            return 0;
        }

        static int end(snd_pcm_ioplug_t *io) {
            device *me = io->private_data;
            pthread_mutex_lock(&me->mutex);
            me->is_closing = 1;
            pthread_mutex_unlock(&me->mutex);
            pthread_join(me->thread, NULL);
            note(me, "close", "");
            if (me->signalled >= 0) close(me->signalled);
            close(me->watched);
            close(me->heard);
            close(me->log);
            close(me->lock);
            free(me);
            return 0;
        }

        static const snd_pcm_ioplug_callback_t callbacks = {
            .start = start, .stop = stop, .pointer = pointer, .prepare = prepare, .hw_params = hw_params, .pause = pause_at,
            .sw_params = sw_params, .poll_revents = poll_revents, .close = end,
        };

        // The numbers of a list such as "44100 48000".
        static unsigned int numbers(const char *text, unsigned int *list) {
            unsigned int count = 0;
            for (char *rest = (char *)text; count < 32 && *rest != 0; count++) list[count] = strtoul(rest, &rest, 10);
            return count;
        }

        static unsigned int formats(const char *text, unsigned int *list) {
            unsigned int count = 0;
            char *copy = strdup(text), *rest = NULL;
            for (char *word = strtok_r(copy, " ", &rest); word && count < 32; word = strtok_r(NULL, " ", &rest))
                list[count++] = snd_pcm_format_value(word);
            free(copy);
            return count;
        }

        SND_PCM_PLUGIN_DEFINE_FUNC(faketest) {
            snd_config_iterator_t place, next;
            const char *folder = NULL, *rates = "44100 48000 88200 96000", *samples = "S16_LE S32_LE", *channels = "2";
            long buffer = 1 << 22;
            snd_config_for_each(place, next, conf) {
                snd_config_t *entry = snd_config_iterator_entry(place);
                const char *id = NULL;
                if (snd_config_get_id(entry, &id) < 0) continue;
                if (strcmp(id, "folder") == 0) snd_config_get_string(entry, &folder);
                if (strcmp(id, "rates") == 0) snd_config_get_string(entry, &rates);
                if (strcmp(id, "formats") == 0) snd_config_get_string(entry, &samples);
                if (strcmp(id, "channels") == 0) snd_config_get_string(entry, &channels);
                if (strcmp(id, "buffer") == 0) snd_config_get_integer(entry, &buffer);
            }
            if (folder == NULL || stream != SND_PCM_STREAM_PLAYBACK) return -EINVAL;
            device *me = calloc(1, sizeof *me);
            snprintf(me->folder, sizeof me->folder, "%s", folder);
            if (is_unplugged(me)) {
                free(me);
                return -ENODEV;
            }
            char path[600];
            snprintf(path, sizeof path, "%s/lock", folder);
            me->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
            if (flock(me->lock, LOCK_EX | LOCK_NB) < 0) {
                close(me->lock);
                free(me);
                return -EBUSY;
            }
            snprintf(path, sizeof path, "%s/heard", folder);
            me->heard = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
            me->bytes = lseek(me->heard, 0, SEEK_END);
            snprintf(path, sizeof path, "%s/log", folder);
            me->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
            int ends[2];
            if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -errno;
            me->watched = ends[0];
            me->signalled = ends[1];
            pthread_mutex_init(&me->mutex, NULL);
            note(me, "open", "");

            me->io.version = SND_PCM_IOPLUG_VERSION;
            me->io.name = "Fake sound card";
            me->io.callback = &callbacks;
            me->io.private_data = me;
            me->io.mmap_rw = 1;
            me->io.poll_fd = me->watched;
            me->io.poll_events = POLLIN;
            int code = snd_pcm_ioplug_create(&me->io, name, stream, mode);
            if (code < 0) return code;
            unsigned int list[32];
            const unsigned int access[] = {SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED};
            snd_pcm_ioplug_set_param_list(&me->io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
            snd_pcm_ioplug_set_param_list(&me->io, SND_PCM_IOPLUG_HW_FORMAT, formats(samples, list), list);
            snd_pcm_ioplug_set_param_list(&me->io, SND_PCM_IOPLUG_HW_RATE, numbers(rates, list), list);
            snd_pcm_ioplug_set_param_list(&me->io, SND_PCM_IOPLUG_HW_CHANNELS, numbers(channels, list), list);
            snd_pcm_ioplug_set_param_minmax(&me->io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 4096, buffer);
            snd_pcm_ioplug_set_param_minmax(&me->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 1024, buffer / 2);
            pthread_create(&me->thread, NULL, run, me);
            *pcmp = me->io.pcm;
            return 0;
        }

        SND_PCM_PLUGIN_SYMBOL(faketest);

        // The card's mixer: one control, 60 dB in steps of one, whose step is in the file `volume`.
        static int elem_count(snd_ctl_ext_t *ext) { return 1; }

        static int elem_list(snd_ctl_ext_t *ext, unsigned int offset, snd_ctl_elem_id_t *id) {
            snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_MIXER);
            snd_ctl_elem_id_set_name(id, "Digital Playback Volume");
            return 0;
        }

        static snd_ctl_ext_key_t find_elem(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) { return 0; }

        static int get_attribute(
            snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned int *access, unsigned int *count) {
            *type = SND_CTL_ELEM_TYPE_INTEGER;
            *access = SND_CTL_EXT_ACCESS_READWRITE | SND_CTL_EXT_ACCESS_TLV_READ;
            *count = 2;
            return 0;
        }

        static int get_integer_info(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *low, long *high, long *step) {
            *low = 0;
            *high = 60;
            *step = 1;
            return 0;
        }

        static int read_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
            value[0] = value[1] = 60;
            return 0;
        }

        static int write_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
            char path[600];
            snprintf(path, sizeof path, "%s/volume", (char *)ext->private_data);
            int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
            dprintf(file, "%ld", value[0]);
            close(file);
            return 1;
        }

        static int read_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned int *mask) { return -EAGAIN; }

        static void close_mixer(snd_ctl_ext_t *ext) {
            free(ext->private_data);
            free(ext);
        }

        static const snd_ctl_ext_callback_t mixer_callbacks = {
            .close = close_mixer, .elem_count = elem_count, .elem_list = elem_list, .find_elem = find_elem,
            .get_attribute = get_attribute, .get_integer_info = get_integer_info, .read_integer = read_integer,
            .write_integer = write_integer, .read_event = read_event,
        };

        // Of decibels: from -60 on, in steps of one.
        static const unsigned int scale[] = {1, 8, (unsigned int)-6000, 100};

        SND_CTL_PLUGIN_DEFINE_FUNC(faketest) {
            snd_config_iterator_t place, next;
            const char *folder = NULL;
            snd_config_for_each(place, next, conf) {
                snd_config_t *entry = snd_config_iterator_entry(place);
                const char *id = NULL;
                if (snd_config_get_id(entry, &id) >= 0 && strcmp(id, "folder") == 0)
                    snd_config_get_string(entry, &folder);
            }
            if (folder == NULL) return -EINVAL;
            snd_ctl_ext_t *ext = calloc(1, sizeof *ext);
            ext->version = SND_CTL_EXT_VERSION;
            snprintf(ext->id, sizeof ext->id, "fake");
            snprintf(ext->driver, sizeof ext->driver, "fake");
            snprintf(ext->name, sizeof ext->name, "Fake sound card");
            snprintf(ext->mixername, sizeof ext->mixername, "Fake mixer");
            ext->poll_fd = -1;
            ext->callback = &mixer_callbacks;
            ext->private_data = strdup(folder);
            ext->tlv.p = scale;
            int code = snd_ctl_ext_create(ext, name, mode);
            if (code < 0) return code;
            *handlep = ext->handle;
            return 0;
        }

        SND_CTL_PLUGIN_SYMBOL(faketest);
        """#
}
