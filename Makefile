# make run     installs what is missing, builds, and plays the demo
# make test    installs what the tests need, and runs all of them
# make help    lists the rest

PREFIX ?= /usr/local
DESTDIR ?=
# Takes the symbols out of the installed programs, half of their size; STRIP= keeps them.
STRIP ?= strip

# What is needed, as Debian and Ubuntu name it: the one list that everything else goes by.
RUN_PACKAGES = git pkg-config libavformat-dev libavcodec-dev libavutil-dev libswresample-dev libpulse-dev libasound2-dev libsonic-dev \
	libsqlite3-dev libcurl4-gnutls-dev libpcre2-dev libswscale-dev libjpeg-dev libpng-dev libtiff-dev libwebp-dev libheif-dev \
	liblcms2-dev libseccomp-dev libcrypt-dev libchafa-dev libsystemd-dev libgnutls28-dev zlib1g-dev libebur128-dev libuchardet0
TEST_PACKAGES = $(RUN_PACKAGES) pulseaudio pulseaudio-utils pipewire pipewire-pulse wireplumber ffmpeg sox flac lame \
	opus-tools vorbis-tools mpd mpc ncmpcpp tmux python3-mpd python3-jsonschema python3-websockets curl espeak-ng \
	jq nodejs socat netcat-openbsd python3-prometheus-client dbus playerctl python3-dbusmock nginx-light icecast2 fuse3 \
	libfuse3-dev systemd libvips-tools libheif-examples webp eyed3 id3v2 snapserver snapclient avahi-daemon avahi-utils \
	iproute2 openssl zsh fish libchromaprint-tools speex libqrencode4 zbar-tools caddy dunst xvfb
BENCH_PACKAGES = $(TEST_PACKAGES) mpv ffmpegthumbnailer wrk chromium
SOAK_PACKAGES = $(TEST_PACKAGES) chromium firefox-esr

# These play in real time, or talk to servers that do, and compute little. Tests that compute run beside them, with the lowest
# priority; two groups of these at once would be late.
PLAYER_TESTS = PlaybackTests
# Most of these wait for sound, one after another in each suite, so the sessions' do not disturb the outputs'.
OUTPUT_TESTS = OutputsTests|MixersTests|OutputGroupsTests|SessionSoundTests
# These use all processors for a minute, and a server's scanner has to wait for those.
FUZZ_TESTS = CommandFuzzTests|MediaFuzzTests|PictureFuzzTests
SERVER_TESTS = ^ServerTests\.(?!CommandFuzz)|^(CommandServer|ServerRequests|ServerCommands)Tests|^(ForeignAudio|Server(Announcements|Artwork|Basics|Music|Network|NowPlaying|Persistence|Rights|Rooms|Sessions|Timers|Zones))Tests|^DaemonTests|^ClientVerbsTests|^PlaylistsTests|RealServerTests
STREAM_TESTS = ^HTTPTests|^HLSTests|^DASHTests|^StreamTests|^BroadcastingTests
# These start no other program and play nothing.
CHECK_TESTS := Numbers|AudioTypes|ChildPrograms|Cryptography|Files|Mixing|Songs|LineProtocol|Records|MPRIS|PictureValues|TimedText
CHECK_TESTS := $(CHECK_TESTS)|SongFilters|Stickers|Alarms|Announcements|AudioSessions|NowPlaying|Authorization
CHECK_TESTS := ^($(CHECK_TESTS)|CommandServer|ServerRequests|ServerCommands|ForeignAudio|Server(Announcements|Artwork|Basics|Music|Network|NowPlaying|Persistence|Rights|Rooms|Sessions|Timers|Zones)|Settings|Architecture|TestRunner)Tests
WAITING_TESTS = ^CommandLineTests|^ZonesTests|^SpeechTests|^MediaExpansionTests|^MusicDirectoriesTests|^PlaylistStoreTests|^StateStoreTests|^ThreadsTests
# Without a limit all tests of a group begin at once, and on few cores each waits for hundreds of others: too long for those
# that play in real time. Streams' tests mostly wait. Swift 6.3 knows the option.
AT_ONCE = 8
STREAMS_AT_ONCE = 10
LIMIT_OPTION = $(shell option=--experimental-maximum-parallelization-width; \
	swift test --help-hidden 2>/dev/null | grep -q -e $$option && echo $$option)
LIMIT = $(addsuffix $(space)$(AT_ONCE),$(LIMIT_OPTION))
STREAMS_LIMIT = $(addsuffix $(space)$(STREAMS_AT_ONCE) : ,$(LIMIT_OPTION))
space = $() $()

# What the loader has filled in is then read-only, as in all programs of Debian.
RELEASE = -c release --static-swift-stdlib -Xlinker -z -Xlinker relro
BUILT = .build/release
# Runs the tests in groups, and says what is red.
TEST_RUNNER = .build/debug/segue-test
# How often `make test` and `make verify` run the tests, and, if not empty, that a failed test is red also if it passes alone.
RUNS ?= 1
STRICT ?=
# Where nothing is built a second time, SEGUE_BUILD_ONCE=1 compiles modules as wholes, in less processor time.
TEST_BUILD = swift build $(if $(SEGUE_BUILD_ONCE),-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1)
# For `make soak`.
FUZZ_SECONDS ?= 300

.PHONY: help run build test check verify soak bench format lint deb install uninstall clean check-swift

help:
	@echo "run        install what is missing (Debian packages), build, and play the demo"
	@echo "build      build segue and its siblings for use"
	@echo "test       install what the tests need, and run all of them (RUNS=$(RUNS) times; STRICT=1: every failure is red)"
	@echo "check      the formatting, and the tests that need no further package"
	@echo "verify     what CI does, with the current commit in a fresh folder; marks a commit that passes"
	@echo "soak       the long tests, the fuzzers (FUZZ_SECONDS=$(FUZZ_SECONDS) each), and all tests under sanitizers"
	@echo "bench      measure, beside other players; one line of JSON per figure"
	@echo "format     format the sources"
	@echo "lint       check the formatting"
	@echo "deb        build a Debian package into .build/deb"
	@echo "install    install into PREFIX=$(PREFIX), below DESTDIR"
	@echo "uninstall  remove what install put there"
	@echo "clean      remove everything that was built"

.DEFAULT_GOAL := help

check-swift:
	@command -v swift >/dev/null || { \
		echo "There is no swift here. Segue is built with Swift 6.3 or later: https://www.swift.org/install/linux/" >&2; \
		exit 1; }

# The daemon is not needed for that, and takes as long to build as the rest.
run:
	@$(MAKE) --no-print-directory build PROGRAMS="segue segue-play segue-pictures"
	@$(BUILT)/segue play --output auto playlists/demo.m3u8

build: check-swift
	@.ci/install-packages $(RUN_PACKAGES)
	@test -x $(BUILT)/segue-play || echo "Building Segue. The first time takes about two minutes, on a small machine more."
	@set -e; for program in $(PROGRAMS); do echo "swift build --product $$program"; \
		swift build $(RELEASE) --product $$program; done

test: check-swift
	@.ci/install-packages --optional $(TEST_PACKAGES)
	$(TEST_BUILD) --build-tests
	$(TEST_BUILD) --product segue
	$(TEST_BUILD) --product segue-play
	$(TEST_BUILD) --product segue-pictures
	$(TEST_BUILD) --product segued
	@$(TEST_RUNNER) $(if $(STRICT),--strict) --options '$(LIMIT)' --runs $(RUNS) --not-offered "$$(cat .build/not-offered 2>/dev/null)" -- \
		'beside $(FUZZ_TESTS)' '$(OUTPUT_TESTS)' \
		'$(PLAYER_TESTS)' '$(STREAMS_LIMIT)$(STREAM_TESTS)' '$(WAITING_TESTS)' '$(SERVER_TESTS)'

# What a change is held to in the first place: all that needs no package beyond those of the build.
check: lint
	@.ci/install-packages $(RUN_PACKAGES)
	swift build --build-tests
	@$(TEST_RUNNER) --only -- '$(CHECK_TESTS)'

verify:
	@RUNS=$(RUNS) STRICT=$(STRICT) .ci/verify

# Each sanitizer rebuilds everything, in a folder of its own. The backtracer is off because it can hang on their reports.
soak: export SWIFT_BACKTRACE = enable=no
soak: export LSAN_OPTIONS = suppressions=$(CURDIR)/.ci/lsan.supp:print_suppressions=0
soak: export TSAN_OPTIONS = suppressions=$(CURDIR)/.ci/tsan.supp
soak: check-swift
	@.ci/install-packages $(SOAK_PACKAGES)
	SEGUE_SOAK=1 swift test --disable-xctest $(LIMIT)
	mkdir -p .build-fuzz/playlists .build-fuzz/requests .build-fuzz/hls .build-fuzz/dash .build-fuzz/headers \
		.build-fuzz/timedtext && \
		cp playlists/*.m3u8 .build-fuzz/playlists
	@set -e; for fuzzer in playlists requests hls dash headers timedtext; do echo "fuzz-$$fuzzer"; \
		SEGUE_FUZZ=1 swift build --scratch-path .build-fuzz --product fuzz-$$fuzzer; \
		.build-fuzz/debug/fuzz-$$fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 \
			.build-fuzz/$$fuzzer; done
	SEGUE_SANITIZER=address swift test --disable-xctest $(LIMIT) --sanitize=address --scratch-path .build-asan
	@set -e; for fuzzer in MediaFuzzTests PictureFuzzTests CommandFuzzTests; do echo "$$fuzzer"; \
		SEGUE_SANITIZER=address SEGUE_FUZZ_SECONDS=$(FUZZ_SECONDS) SEGUE_FUZZ_SEED=$$(date +%s) \
			swift test --disable-xctest --sanitize=address --scratch-path .build-asan --filter $$fuzzer; done
	SEGUE_SANITIZER=thread swift test --disable-xctest $(LIMIT) --sanitize=thread --scratch-path .build-tsan

bench: check-swift
	@.ci/install-packages --optional $(BENCH_PACKAGES)
	swift build $(RELEASE) --product segue
	swift build $(RELEASE) --product segue-play
	swift build $(RELEASE) --product segue-pictures
	swift build $(RELEASE) --product segued
	swift build $(RELEASE) --product segue-bench-player
	swift build $(RELEASE) --product segue-bench
	@$(BUILT)/segue-bench $(BENCH)

format: check-swift
	swift format format --in-place --recursive Package.swift Plugins Sources Tests

lint: check-swift
	swift format lint --strict --recursive Package.swift Plugins Sources Tests

# `segue` finds the others beside itself, so all go to bin.
BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd
SYSUSERS = $(DESTDIR)$(PREFIX)/lib/sysusers.d
PROGRAMS = segue segue-play segue-pictures segued
# Those with options of their own to complete; the others are only called by `segue`.
COMPLETED = segue segued
BASH_COMPLETION = $(SHARE)/bash-completion/completions
ZSH_COMPLETION = $(SHARE)/zsh/site-functions
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d
MAN_SECTIONS = 1 5 7 8

# Installs what `make build` or `make run` built, so that it needs no Swift when it is run by root.
# A package for the Debian release of this machine, in .build/deb.
deb: check-swift
	@.ci/install-packages $(RUN_PACKAGES) debhelper fakeroot
	@packaging/build-deb

install:
	@test -z "$(strip $(foreach program,$(PROGRAMS),$(if $(wildcard $(BUILT)/$(program)),,missing)))" \
		|| $(MAKE) --no-print-directory build
	install -d $(BIN) $(foreach section,$(MAN_SECTIONS),$(SHARE)/man/man$(section)) $(SHARE)/doc/segue \
		$(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION) $(UNITS)/user $(UNITS)/system $(SYSUSERS)
	install -m 755 $(addprefix $(BUILT)/,$(PROGRAMS)) $(BIN)
	@if test -n "$(STRIP)"; then \
		if command -v $(STRIP) >/dev/null; then $(STRIP) $(addprefix $(BIN)/,$(PROGRAMS)); \
		else echo "not stripped: there is no $(STRIP) (Debian's binutils)" >&2; fi; fi
	$(foreach section,$(MAN_SECTIONS),install -m 644 $(wildcard man/*.$(section)) $(SHARE)/man/man$(section) &&) true
	install -m 644 packaging/segued.toml $(SHARE)/doc/segue
	$(BUILT)/segued --describe >$(SHARE)/doc/segue/openrpc.json
	@set -e; for unit in $(wildcard packaging/systemd/*/*); do \
		echo "install -m 644 $$unit $(UNITS)/$${unit#packaging/systemd/}"; \
		sed 's|@bindir@|$(PREFIX)/bin|' $$unit >$(UNITS)/$${unit#packaging/systemd/}; \
		chmod 644 $(UNITS)/$${unit#packaging/systemd/}; \
	done
	install -m 644 packaging/sysusers.d/segue.conf $(SYSUSERS)
	@# Packages leave the account to the system that they are installed on.
	@if test -z "$(DESTDIR)" -a -d /run/systemd/system; then systemd-sysusers $(SYSUSERS)/segue.conf; fi
	@set -e; for program in $(COMPLETED); do \
		echo "completions of $$program"; \
		$(BUILT)/$$program --generate-completion-script bash | sed 1d >$(BASH_COMPLETION)/$$program; \
		$(BUILT)/$$program --generate-completion-script zsh >$(ZSH_COMPLETION)/_$$program; \
		$(BUILT)/$$program --generate-completion-script fish >$(FISH_COMPLETION)/$$program.fish; \
		chmod 644 $(BASH_COMPLETION)/$$program $(ZSH_COMPLETION)/_$$program $(FISH_COMPLETION)/$$program.fish; \
	done

uninstall:
	rm -f $(addprefix $(BIN)/,$(PROGRAMS)) $(SHARE)/doc/segue/segued.toml $(SHARE)/doc/segue/openrpc.json \
		$(foreach section,$(MAN_SECTIONS),$(addprefix $(SHARE)/man/man$(section)/,$(notdir $(wildcard man/*.$(section))))) \
		$(patsubst packaging/systemd/%,$(UNITS)/%,$(wildcard packaging/systemd/*/*)) $(SYSUSERS)/segue.conf \
		$(foreach program,$(COMPLETED),$(BASH_COMPLETION)/$(program) $(ZSH_COMPLETION)/_$(program) \
			$(FISH_COMPLETION)/$(program).fish)
	@rmdir $(SHARE)/doc/segue 2>/dev/null || true

clean:
	rm -rf .build .build-*
